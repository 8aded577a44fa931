// explain.js - words that a click explains: the sections of help.html in a dialog
import {get} from "./answers.js"
import {button, element} from "./list.js"

let sections = null // a promise

async function open(name) {
    sections ??= get("help.html").then(response => response.text())
        .then(text => new DOMParser().parseFromString(text, "text/html"))
    const dialog = document.getElementById("explanation")
    const found = (await sections).getElementById(name)
    const more = element("a", "All explanations")
    const row = element("div", button("Close", () => dialog.close()), "row")
    more.href = `help.html#${name}`
    row.append(more)
    dialog.replaceChildren(...[...found.children].map(one => document.importNode(one, true)), row)
    dialog.setAttribute("aria-label", found.querySelector("h2").textContent)
    dialog.showModal()
}

export const explain = name => open(name).catch(() => { location.href = `help.html#${name}` })

// A button in running text.
export function term(text, name) {
    const made = button(text, () => explain(name))
    made.className = "term"
    made.setAttribute("aria-haspopup", "dialog")
    return made
}

// Texts and [text, section] as nodes.
export const withTerms = parts => parts.map(part => typeof part === "string" ? part : term(...part))
