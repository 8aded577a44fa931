// panel.js - the part of the page that shows the material on the board
import {element} from "./list.js"
import {dependencies, histogram, inWords, materialOf, totals} from "./material.js"

const $ = id => document.getElementById(id)
const menCounted = 4 // materials of more men are counted when the user asks for it: it takes up to a minute
const stats = new Map()
let present = null // names of tables, a promise
let showing = ""
let open = null // shows a FEN

function link(text, fen) {
    const made = element("a", text)
    made.href = `?fen=${fen.replaceAll(" ", "_")}`
    made.addEventListener("click", event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey)
            return
        event.preventDefault()
        open(fen)
        window.scrollTo({top: 0})
    })
    return made
}

const item = (child, ...more) => {
    const made = element("li", child)
    made.append(...more)
    return made
}

const list = items => {
    const made = document.createElement("ul")
    made.append(...items)
    return made
}

const full = fen => `${fen.split(" ").slice(0, 4).join(" ")} 0 1`
const otherColour = {white: "black", black: "white"}
const capital = word => word[0].toUpperCase() + word.slice(1)

// While the server counts, asks again each second. null: another material is shown meanwhile, or there is no answer.
async function ask(name) {
    while (!stats.has(name) && showing === name) {
        const response = await fetch(`stats/${name}.json`)
        if (response.status === 200)
            stats.set(name, await response.json())
        else if (response.status !== 202)
            throw new Error((await response.text()).trim())
        else if (showing === name) {
            const {share} = await response.json()
            $("counting").textContent = `The server counts all positions: ${Math.round(100 * share)} %`
            await new Promise(resolve => setTimeout(resolve, share === 0 ? 300 : 1000))
        }
    }
    return showing === name ? stats.get(name) : null
}

function showHistogram(answer, side, flipped, dtz) {
    const colour = flipped ? otherColour[side] : side
    const bins = answer[colour]
    const most = Math.max(...bins.map(bin => bin.dtz ?? 0), 0)
    $("histogram-head").textContent = `${capital(colour)}${flipped ? ` (${side} on the board)` : ""} to move`
    const rows = totals(bins).map(({outcome, count, share}) => {
        const row = document.createElement("tr")
        row.append(element("th", outcome), element("td", count.toLocaleString("en")), element("td", share))
        row.firstChild.scope = "row"
        return row
    })
    $("totals").replaceChildren(...rows)
    $("histogram").replaceChildren()
    if (most > 0) {
        const axis = document.createElement("div")
        axis.className = "axis"
        axis.append(element("span", "DTZ 0"), element("span", dtz === null || dtz === 0 ? "" :
            `this position: ${Math.abs(dtz)}`, "mark"), element("span", String(most)))
        $("histogram").replaceChildren(histogram(bins, dtz), axis)
    }
}

function showLists(answer) {
    const longest = answer.longest_by_side.filter(one => one.outcome !== "draw").map(one =>
        item(link(inWords(one.fen), full(one.fen)),
            element("small", `${capital(one.to_move)} to move, ${one.outcome}, DTZ ${one.dtz}`)))
    $("longest").replaceChildren(longest.length > 0 ? list(longest) : element("p", "No side can win."))
    const words = {"win": "wins", "loss": "loses", "draw": "draws", "cursed win": "has a cursed win",
        "blessed loss": "has a blessed loss"}
    const kinds = answer.zugzwangs.map(kind => {
        const made = document.createElement("details")
        made.append(element("summary", `White to move ${words[kind.white_to_move]}, Black to move ` +
            `${words[kind.black_to_move]}: ${kind.classes.toLocaleString("en")}`))
        made.append(list(kind.fens.map(fen => item(link(inWords(fen), full(fen))))))
        if (kind.fens.length < kind.classes)
            made.append(element("p", `the first ${kind.fens.length}`))
        return made
    })
    $("zugzwangs").replaceChildren(...kinds.length > 0 ? kinds : [element("p", "There are none.")])
}

function showDependencies(name, there) {
    const found = dependencies(name)
    $("leads").replaceChildren(...found.map(next => item(
        element("span", next.name), element("small", there.has(next.name) ? "✓ present" : "✗ missing"))))
    $("leads").hidden = found.length === 0
    $("leads-none").hidden = found.length > 0
}

async function tablesThere() {
    const response = await fetch("endgames")
    return new Map((await response.json()).map(table => [table.material, table]))
}

async function count(name, side, flipped, dtz) {
    $("ask").hidden = true
    $("counting").textContent = "…"
    try {
        const answer = await ask(name)
        if (answer === null)
            return
        $("counting").textContent = ""
        showHistogram(answer, side, flipped, dtz)
        showLists(answer)
        $("counts").hidden = false
    } catch (error) {
        if (showing === name)
            $("counting").textContent = error.message
    }
}

// Shows the material of a position whose distance is `dtz` (null: unknown). `visit` shows the FEN of a link.
export async function showMaterial(fen, dtz, visit) {
    const {name, flipped, men} = materialOf(fen)
    const side = fen.split(" ")[1] === "b" ? "black" : "white"
    open = visit
    showing = name
    $("material").hidden = men < 3
    if (men < 3)
        return
    present ??= tablesThere()
    const there = await present
    if (showing !== name)
        return
    const table = there.get(name)
    $("material-name").textContent = name
    $("material-note").textContent = table === undefined ? "There is no table." :
        `A table of ${table.bytes.toLocaleString("en")} bytes, with ${men} men.` +
        (flipped ? " On the board its colours are swapped." : "")
    showDependencies(name, there)
    $("counting").textContent = ""
    $("counts").hidden = true
    $("ask").hidden = true
    if (table === undefined)
        return
    if (men <= menCounted || stats.has(name))
        await count(name, side, flipped, dtz)
    else {
        $("ask").hidden = false
        $("ask").onclick = () => count(name, side, flipped, dtz)
    }
}

export function hideMaterial() {
    showing = ""
    $("material").hidden = true
}
