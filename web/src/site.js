// site.js - the answers of `cltb serve` without it, for the pages that `cltb site` writes
//
// Positions are answered by cltb.wasm from the tables in tables/, everything else by files. With `cltb site --inside`
// all of it, tables included, is in the script inside.js, so that the page needs no server.
import {open} from "../../js/cltb.js"

const inside = globalThis.cltbInside
const statuses = {usage: 400, position: 400, missing: 404}
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0))
const here = name => new URL(name, document.baseURI)

// The board would fetch its pieces, unless they are there.
if (inside !== undefined && document.getElementById("board") !== null) {
    const pieces = document.createElement("div")
    pieces.id = "cm-chessboard-sprite"
    pieces.style.display = "none"
    pieces.innerHTML = inside.files["pieces.svg"]
    document.body.append(pieces)
}

// A file of the site, as fetch() gives it.
async function file(name) {
    if (inside === undefined)
        return fetch(here(name))
    const found = inside.files[name]
    return (found ?? null) === null ? new Response(null, {status: 404})
        : new Response(typeof found === "string" ? found : JSON.stringify(found))
}

async function openTables() {
    if (inside !== undefined)
        return open(new Map(Object.entries(inside.tables).map(([name, text]) => [name, bytesOf(text)])),
            {wasm: bytesOf(inside.wasm)})
    const list = (await (await file("endgames.json")).json()).map(({material}) => `${material}.cltb`)
    return open(here("tables/"), {wasm: here("cltb.wasm"), list})
}

let tables // a promise

async function answer(call, fen) {
    try {
        tables ??= openTables()
        const opened = await tables.catch(fault => {
            tables = undefined
            throw fault
        })
        return new Response(JSON.stringify(await opened[call](fen)))
    } catch (fault) {
        const status = statuses[fault.code] ?? 500
        if (status === 500) // what has been fetched may be what is wrong
            tables = undefined
        return new Response(fault.message, {status})
    }
}

async function stats(name) {
    const found = await file(name)
    return found.ok ? found : new Response("The file of this table keeps no statistics.", {status: 404})
}

globalThis.cltbSite = path => {
    const [, name, fen] = path.match(/^([^?]*)(?:\?fen=(.*))?$/)
    if (name === "standard" || name === "standard/mainline")
        return answer(name === "standard" ? "standard" : "mainline", decodeURIComponent(fen))
    if (name === "about" || name === "endgames")
        return file(`${name}.json`)
    return name.startsWith("stats/") ? stats(name) : file(name)
}
