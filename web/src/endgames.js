// endgames.js - all tables of the server: their outcomes as bars, their longest wins
import {explain} from "./explain.js"
import {element} from "./list.js"
import {percent} from "./material.js"
import {keys, outcome} from "./outcomes.js"
import {address, longestOf, positionOf, tablesThere} from "./tables.js"

const $ = id => document.getElementById(id)
const all = [, , , 5, 30, 110, 365, 1001, 2520] // materials by number of men
const megabytes = bytes => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
const capital = word => word[0].toUpperCase() + word.slice(1)

function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name)
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value)
    made.append(...children)
    return made
}

// A bar of the outcomes with one side to move; the same words for those who cannot see it.
function bar(table, colour) {
    const counts = keys.map(key => [key, table[colour].outcomes[key].positions])
    const sum = counts.reduce((before, [, count]) => before + count, 0)
    let x = 0
    const words = []
    const parts = counts.filter(([, count]) => count > 0).map(([key, count]) => {
        const width = 100 * count / sum
        words.push(`${percent(width)} ${outcome(key).name}`)
        x += width
        return svg("rect", {x: x - width, y: 0, width, height: 1, class: outcome(key).tone})
    })
    const label = `${capital(colour)} to move: ${words.join(", ")}`
    return svg("svg", {viewBox: "0 0 100 1", preserveAspectRatio: "none", role: "img", "aria-label": label},
        svg("title", {}, label), ...parts)
}

function row(table) {
    const item = document.createElement("li")
    const longest = longestOf(table)
    const name = element("a", table.material)
    name.href = address(positionOf(table.material, table))
    item.append(name)
    if (table.white !== undefined)
        item.append(bar(table, "white"), bar(table, "black"))
    if (longest !== undefined) {
        const link = element("a", `DTZ ${longest.plies}`)
        link.href = address(positionOf(table.material, table))
        item.append(element("span", link))
        item.lastChild.append(`, ${capital(longest.winner)} wins${longest.cursed ? " too late" : ""}`)
    } else {
        item.append(element("small", table.longest === undefined ? "" : "no side can win"))
    }
    return item
}

// "KRP": a side has these men; "vKN": the weaker side; "KQvKR": both.
function fits(name, wanted) {
    const counts = men => [...men].reduce((sum, c) => ({...sum, [c]: (sum[c] ?? 0) + 1}), {})
    const has = (side, men) => Object.entries(counts(men)).every(([c, n]) => (counts(side)[c] ?? 0) >= n)
    const sides = name.split("v")
    const [first, second] = wanted.split("v")
    if (second === undefined)
        return sides.some(side => has(side, first))
    return has(sides[0], first) && has(sides[1], second) || first !== "" && has(sides[1], first) && has(sides[0], second)
}

function show(there) {
    const wanted = $("typed").value.trim().toUpperCase().replace("V", "v").replace(/[^KQRBNPv]/g, "")
    const found = [...there.values()].filter(table => fits(table.material, wanted) &&
        !($("pawnless").checked && table.material.includes("P")))
    const sets = [...new Set(found.map(table => table.men))].map(men => {
        const [present, shown] = [[...there.values()], found].map(some => some.filter(table => table.men === men))
        const bytes = present.reduce((sum, table) => sum + table.bytes, 0)
        const head = element("h2", `${men} men `)
        head.append(element("small", `${present.length} of ${all[men]} tables${present.length === all[men] ?
            ", complete" : ""}, ${megabytes(bytes)}${shown.length < present.length ?
            `; ${shown.length} shown` : ""}`))
        const list = document.createElement("ul")
        list.append(...shown.map(row))
        return [head, list]
    })
    $("list").replaceChildren(...sets.flat())
    $("state").textContent = found.length > 0 ? "" : "There is no such table here."
}

async function start() {
    const there = await tablesThere()
    const bars = element("button", "Bars", "term")
    bars.onclick = () => explain("bars")
    $("legend").append(bars, " of White to move and Black to move:")
    for (const key of keys)
        $("legend").append(element("span", "", outcome(key).tone), outcome(key).name)
    $("typed").oninput = $("pawnless").onchange = () => show(there)
    $("pick").onsubmit = event => event.preventDefault()
    show(there)
}

start().catch(() => { $("state").textContent = "The server does not answer. Has it been stopped?" })
