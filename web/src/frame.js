// frame.js - what all pages have: the version, and the link to a build if one is watched
import {get} from "./answers.js"

get("about").then(response => response.json()).then(({version, watches}) => {
    document.getElementById("version").textContent = version
    document.getElementById("build").hidden = !watches
}).catch(() => {})
