// material.js - what is known of the material on the board: a histogram, longest lines, zugzwangs, what it leads to
import {isWin, outcome} from "./outcomes.js"
import {readBoard} from "./setup.js"

const order = "kqrbnp"
const letters = men => [...order].flatMap(piece => Array(men[piece] ?? 0).fill(piece.toUpperCase())).join("")

// The stronger side is White: more men, then the order of pieces compared from the left.
function stronger(a, b) {
    if (a.length !== b.length)
        return a.length > b.length
    for (let i = 0; i < a.length; i++) {
        if (a[i] !== b[i])
            return order.indexOf(a[i].toLowerCase()) < order.indexOf(b[i].toLowerCase())
    }
    return true
}

// {name: "KQvKR", flipped: the board's colours are the other ones, men: 4}
function named(white, black) {
    const flipped = !stronger(white, black)
    return {name: flipped ? `${black}v${white}` : `${white}v${black}`, flipped, men: white.length + black.length}
}

export function materialOf(fen) {
    const men = {w: {}, b: {}}
    for (const piece of readBoard(fen).values())
        men[piece[0]][piece[1]] = (men[piece[0]][piece[1]] ?? 0) + 1
    return named(letters(men.w), letters(men.b))
}

// The materials that a capture, a promotion or both at once lead to.
export function dependencies(name) {
    const sides = name.split("v")
    const found = new Map()
    const add = (white, black) => {
        const next = named(white, black)
        if (next.men > 2 && next.name !== name)
            found.set(next.name, next)
    }
    const without = (side, piece) => side.replace(piece, "")
    const sorted = side => [...side].sort((a, b) =>
        order.indexOf(a.toLowerCase()) - order.indexOf(b.toLowerCase())).join("")
    for (const [own, other] of [sides, [...sides].reverse()]) {
        const taken = [...new Set(other.slice(1))].map(piece => without(other, piece))
        const promoted = own.includes("P") ? [..."QRBN"].map(piece => sorted(without(own, "P") + piece)) : []
        taken.forEach(rest => add(own, rest))
        promoted.forEach(mine => [other, ...taken].forEach(rest => add(mine, rest)))
    }
    return [...found.values()].sort((a, b) => b.men - a.men)
}

// "Kc6 Qa5 v Kb8 Rb7"
export function inWords(fen) {
    const men = [...readBoard(fen)].sort(([, a], [, b]) => order.indexOf(a[1]) - order.indexOf(b[1]))
    const side = colour => men.filter(([, piece]) => piece[0] === colour)
        .map(([square, piece]) => (piece[1] === "p" ? "" : piece[1].toUpperCase()) + square).join(" ")
    return `${side("w")} v ${side("b")}`
}

// ---- the histogram ----

const height = 100

function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name)
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value)
    made.append(...children)
    return made
}

// Bars of wins upwards and of losses downwards, by distance, their heights by the logarithm of the count. `here`: the
// signed distance of the position that is shown, or null. `most`: the largest distance on the axis.
export function histogram(bins, here, most) {
    const decided = bins.filter(bin => bin.outcome !== "draw")
    const scale = height / Math.log10(Math.max(...decided.map(bin => bin.count), 10) * 1.5)
    const bars = decided.map(bin => {
        const bar = Math.max(scale * Math.log10(bin.count * 1.5), 3)
        const up = isWin(bin.outcome)
        const title = svg("title", {}, `${outcome(bin.outcome).name}, DTZ ${bin.dtz}: ${bin.count.toLocaleString("en")}`)
        return svg("rect", {x: bin.dtz + .1, y: up ? height - bar : height, width: .8, height: bar,
            class: outcome(bin.outcome).tone}, title)
    })
    if (here !== null && here !== 0)
        bars.unshift(svg("rect", {x: Math.abs(here) - .4, y: here > 0 ? 0 : height, width: 1.8, height, class: "here"}))
    const any = sign => decided.some(bin => isWin(bin.outcome) === sign)
    const [top, bottom] = [any(true) ? 0 : height, any(false) ? 2 * height : height]
    const label = `Positions by distance, up to ${most} plies, heights logarithmic`
    return svg("svg", {viewBox: `0 ${top} ${most + 1} ${Math.max(bottom - top, 1)}`, preserveAspectRatio: "none",
        role: "img", "aria-label": label, class: any(true) && any(false) ? "tall" : ""}, ...bars)
}

// 99.96 is not all of them.
export const percent = share => share > 0 && share < .1 ? "< 0.1 %" :
    share > 99.9 && share < 100 ? "> 99.9 %" : `${share.toFixed(1)} %`

export function totals(bins) {
    const sums = new Map()
    for (const bin of bins)
        sums.set(bin.outcome, (sums.get(bin.outcome) ?? 0) + bin.count)
    const all = [...sums.values()].reduce((a, b) => a + b, 0)
    return [...sums].map(([key, count]) => {
        const share = 100 * count / all
        return {key, count, share: percent(share)}
    })
}
