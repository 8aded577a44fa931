// panel.js - the part of the page that shows the material on the board
import {get} from "./answers.js"
import {term} from "./explain.js"
import {element} from "./list.js"
import {dependencies, histogram, inWords, materialOf, totals} from "./material.js"
import {outcome} from "./outcomes.js"
import {address, positionOf, tablesThere} from "./tables.js"

const $ = id => document.getElementById(id)
const menCounted = 4 // others are counted when the user asks for it: it takes up to a minute
const menNamed = 8 // what larger materials lead to is not listed
const stats = new Map()
let showing = ""
let open = null // shows a FEN

function link(text, fen) {
    const made = element("a", text)
    made.href = address(fen)
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
        const response = await get(`stats/${name}.json`)
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

// A card for each side to move, that of the board first. `most`: the same axis for both.
function histogramCard(answer, colour, flipped, dtz, most) {
    const bins = answer[colour]
    const rows = totals(bins).map(({key, count, share}) => {
        const row = document.createElement("tr")
        const {name, term: explained} = outcome(key)
        row.append(element("th", explained === undefined ? name : term(name, explained)),
            element("td", count.toLocaleString("en")), element("td", share))
        row.firstChild.scope = "row"
        return row
    })
    const table = element("table", "", "totals")
    const card = element("div", element("h3", `${capital(colour)}${flipped ?
        ` (${otherColour[colour]} on the board)` : ""} to move`), "card histogram")
    table.append(...rows)
    if (bins.some(bin => bin.dtz > 0)) {
        const axis = element("div", element("span", "DTZ 0"), "axis")
        const mark = element("span", dtz ? `this position: ${Math.abs(dtz)}` : "", "mark")
        mark.style.left = `${Math.max(25, Math.min(75, 100 * Math.abs(dtz) / most))}%`
        axis.append(mark, element("span", String(most)))
        card.append(histogram(bins, dtz, most), axis)
    }
    card.append(table)
    return card
}

function showHistograms(answer, side, flipped, dtz) {
    const colour = flipped ? otherColour[side] : side
    const most = Math.max(1, ...[...answer.white, ...answer.black].map(bin => bin.dtz ?? 0))
    $("histograms").replaceChildren(histogramCard(answer, colour, flipped, dtz, most),
        histogramCard(answer, otherColour[colour], flipped, null, most))
}

function showLists(answer) {
    const longest = answer.longest_by_side.filter(one => one.outcome !== "draw").map(one =>
        item(link(inWords(one.fen), full(one.fen)),
            element("small", `${capital(one.to_move)} to move ${outcome(one.outcome).side}, DTZ ${one.dtz}`)))
    $("longest").replaceChildren(longest.length > 0 ? list(longest) : element("p", "No side can win."))
    const kinds = answer.zugzwangs.map(kind => {
        const made = document.createElement("details")
        made.append(element("summary", `White to move ${outcome(kind.white_to_move).side}, Black to move ` +
            `${outcome(kind.black_to_move).side}: ${kind.classes.toLocaleString("en")}`))
        made.append(list(kind.fens.map(fen => item(link(inWords(fen), full(fen))))))
        if (kind.fens.length < kind.classes)
            made.append(element("p", `the first ${kind.fens.length}`))
        return made
    })
    $("zugzwangs").replaceChildren(...kinds.length > 0 ? kinds : [element("p", "There are none.")])
}

function showDependencies(name, men, there) {
    const found = men > menNamed ? [] : dependencies(name)
    $("leads").replaceChildren(...found.map(next => {
        const made = link(next.name, positionOf(next.name, there.get(next.name)))
        made.append(element("small", there.has(next.name) ? "✓ present" : "✗ missing"))
        return item(made)
    }))
    $("leads-part").hidden = men > menNamed
    $("leads").hidden = found.length === 0
    $("leads-none").hidden = found.length > 0
}

function showNote(name, men, flipped, there) {
    const table = there.get(name)
    const most = Math.max(0, ...[...there.values()].map(one => one.men))
    $("material-name").textContent = men > menNamed ? `${men} men` : name
    $("material-note").textContent = table === undefined ? `There is no table of ${men > menNamed ? "so many men" :
        name} here; those that are here have at most ${most} men. ` :
        `A table of ${table.bytes.toLocaleString("en")} bytes, with ${men} men` +
        `${table.mates ? ", and one of distances to mate" : ""}.` +
        (flipped ? " On the board its colours are swapped." : "")
    if (table === undefined && men <= 6)
        $("material-note").append("This command makes it: ", element("code", `cltb build ${name}`))
}

async function count(name, side, flipped, dtz) {
    $("ask").hidden = true
    try {
        const answer = await ask(name)
        if (answer === null)
            return
        $("counting").textContent = ""
        showHistograms(answer, side, flipped, dtz)
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
    const changed = showing !== name
    open = visit
    showing = name
    $("material").hidden = men < 3
    if (men < 3)
        return
    const there = await tablesThere()
    if (showing !== name)
        return
    const table = there.get(name)
    showNote(name, men, flipped, there)
    showDependencies(name, men, there)
    $("ask").hidden = true
    if (changed) {
        $("counting").textContent = ""
        $("counts").hidden = true
    }
    if (table === undefined)
        return
    if (table.longest !== undefined || men <= menCounted || stats.has(name)) // the file has them, or it is quick
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
