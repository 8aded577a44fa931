// dobutsu.js - dobutsu shogi: a board of 3 x 4, what the table says of each move
//
// A position is a text, S/gle/-c-/-C-/ELG/-: the side to move, four ranks from Gote's, the men in hand. Sente's men are
// capitals. The server knows the rules; the page only carries moves out.
import {element, groups} from "./list.js"

const start = "S/gle/-c-/-C-/ELG/-"
const names = {l: "lion", g: "giraffe", e: "elephant", c: "chick", r: "hen"}
// Where a man of Sente goes: columns and rows.
const straight = [[0, -1], [0, 1], [-1, 0], [1, 0]]
const slanted = [[-1, -1], [1, -1], [-1, 1], [1, 1]]
const steps = {l: [...straight, ...slanted], g: straight, e: slanted, c: [[0, -1]],
    r: [...straight, [-1, -1], [1, -1]]}
const $ = id => document.getElementById(id)
let line = [start]
let moves = []
let chosen = null // "b3", or "G*" for a man in hand
let over = false
let flipped = false // Gote is nearer
let asked = 0

const text = () => line.at(-1)
const isSente = letter => letter === letter.toUpperCase()

function read(position) {
    const [side, ...fields] = position.split("/")
    return {side, ranks: fields.slice(0, 4).map(rank => [...rank]), hand: fields[4] === "-" ? [] : [...fields[4]]}
}

// The position after "Cb3xb2+" or "G*a3".
function after(position, move) {
    const {side, ranks, hand} = read(position)
    const place = square => [Number(square[1]) - 1, "abc".indexOf(square[0])]
    const own = letter => side === "S" ? letter.toUpperCase() : letter.toLowerCase()
    const [row, column] = place(move[1] === "*" ? move.slice(2, 4) : move.slice(4, 6))
    const taken = ranks[row][column]
    if (move[1] === "*") {
        hand.splice(hand.indexOf(own(move[0])), 1)
        ranks[row][column] = own(move[0])
    } else {
        const [fromRow, fromColumn] = place(move.slice(1, 3))
        ranks[row][column] = move.endsWith("+") ? own("r") : ranks[fromRow][fromColumn]
        ranks[fromRow][fromColumn] = "-"
        if (taken !== "-")
            hand.push(own(taken.toLowerCase() === "r" ? "c" : taken))
    }
    const next = side === "S" ? "G" : "S"
    return `${next}/${ranks.map(rank => rank.join("")).join("/")}/${hand.join("") || "-"}`
}

// ---- drawing ----

// The heads of the animals, in the middle of a field of 40 x 40.
const eyes = '<circle cx="17.5" cy="19" r="1"/><circle cx="22.5" cy="19" r="1"/>'
const figures = {
    l: '<circle cx="20" cy="20" r="10" fill="#b8741a"/><circle cx="20" cy="20.5" r="6.8" fill="#f5d27c"/>' + eyes +
        '<path d="M18.5 21.5h3L20 23.3z"/><path d="M20 23v1.2q-1.5 1.5-3 .3m3-.3q1.5 1.5 3 .3" fill="none" ' +
        'stroke="#211e1a" stroke-width=".8"/>',
    g: '<path d="M17.5 31l.5-15h6l1.5 15z" fill="#eab83f"/><path d="M18 8.5v4m4-4v4" stroke="#8a5a16" ' +
        'stroke-width="1.5"/><circle cx="18" cy="8.5" r="1.2"/><circle cx="22" cy="8.5" r="1.2"/>' +
        '<ellipse cx="19.5" cy="15" rx="6" ry="4" fill="#eab83f"/><circle cx="19" cy="14" r="1"/>' +
        '<g fill="#8a5a16"><circle cx="20" cy="21.5" r="1.3"/><circle cx="22.8" cy="25" r="1.5"/>' +
        '<circle cx="19.5" cy="28" r="1.4"/></g>',
    e: '<g fill="#8795a3"><circle cx="12" cy="18.5" r="5"/><circle cx="28" cy="18.5" r="5"/></g>' +
        '<circle cx="20" cy="18.5" r="7.5" fill="#b3bfca"/>' + eyes + '<path d="M20 22v5.5q0 3 3.5 2.5" ' +
        'fill="none" stroke="#8795a3" stroke-width="3.5" stroke-linecap="round"/>',
    c: '<circle cx="20" cy="20.5" r="8" fill="#f6d84c"/>' + eyes + '<path d="M18 21.5h4l-2 2.8z" fill="#d9661f"/>',
    r: '<g fill="#cf3a2c"><circle cx="17" cy="12.5" r="2.2"/><circle cx="20" cy="11.5" r="2.4"/>' +
        '<circle cx="23" cy="12.5" r="2.2"/></g><circle cx="20" cy="20.5" r="8" fill="#fff" stroke="#8d877c" ' +
        'stroke-width=".8"/>' + eyes + '<path d="M18 21.5h4l-2 2.8z" fill="#d9661f"/>'
}

function tile(letter) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
    const kind = letter.toLowerCase()
    const way = isSente(letter) === flipped ? -1 : 1
    const dots = steps[kind].map(([x, y]) =>
        `<circle class="way" cx="${20 + 15 * x * way}" cy="${20 + 15 * y * way}" r="2"/>`)
    svg.setAttribute("viewBox", "0 0 40 40")
    svg.setAttribute("aria-hidden", "true")
    svg.setAttribute("class", isSente(letter) ? "sente" : "gote")
    svg.innerHTML = `<rect x="1.5" y="1.5" width="37" height="37" rx="6"/>${dots.join("")}${figures[kind]}`
    return svg
}

const nameOf = letter => letter === "-" ? "empty" :
    `${isSente(letter) ? "Sente" : "Gote"}'s ${names[letter.toLowerCase()]}`
const starts = (move, source) => source[1] === "*" ? move.startsWith(source) : move.slice(1, 3) === source
const target = move => move[1] === "*" ? move.slice(2, 4) : move.slice(4, 6)

function cell(letter, label, source, press) {
    const made = element("button", letter === "-" ? "" : tile(letter))
    made.setAttribute("aria-label", label)
    made.setAttribute("aria-pressed", String(chosen === source))
    made.addEventListener("click", press)
    return made
}

function choose(source) {
    chosen = chosen === source || !moves.some(one => starts(one.move, source)) ? null : source
    draw()
}

function press(square) {
    const move = chosen === null ? undefined :
        moves.find(one => starts(one.move, chosen) && target(one.move) === square)
    if (move === undefined)
        choose(square)
    else
        play(move)
}

function draw() {
    const {side, ranks, hand} = read(text())
    const focus = document.activeElement?.dataset?.place
    const edge = name => {
        const made = element("span", name)
        made.setAttribute("aria-hidden", "true") // the squares say their names
        return made
    }
    const turned = list => flipped ? [...list].reverse() : list
    const cells = turned(ranks.map((rank, row) => [edge(row + 1), ...turned(rank.map((letter, column) => {
        const square = "abc"[column] + (row + 1)
        const made = cell(letter, `${square}: ${nameOf(letter)}`, square, () => press(square))
        made.dataset.place = square
        if (chosen !== null && moves.some(one => starts(one.move, chosen) && target(one.move) === square))
            made.className = "target"
        return made
    }))]))
    $("animals").replaceChildren(...cells.flat(), edge(""), ...turned(["a", "b", "c"]).map(edge))
    for (const [id, player] of [["far", flipped ? "Sente" : "Gote"], ["near", flipped ? "Gote" : "Sente"]]) {
        const mine = hand.filter(letter => isSente(letter) === (player === "Sente"))
        $(id).setAttribute("aria-label", `In ${player}’s hand`)
        $(id).replaceChildren(`${player}’s hand:${mine.length === 0 ? " empty" : ""}`, ...mine.map(letter => {
            const source = `${letter.toUpperCase()}*`
            const made = cell(letter, `${nameOf(letter)} in hand`, (side === "S") === isSente(letter) ? source : "",
                () => choose(source))
            made.disabled = (side === "S") !== isSente(letter)
            return made
        }))
    }
    if (focus !== undefined)
        document.querySelector(`[data-place=${focus}]`)?.focus()
}

// ---- the game ----

function play(one) {
    line.push(after(text(), one.move))
    over = one.wins
    show()
}

const count = plies => `${plies} move${plies === 1 ? "" : "s"}` // of both sides together

function words(answer) {
    const side = text()[0] === "S" ? "Sente" : "Gote"
    const outcome = {win: "wins", loss: "loses", draw: "draws"}[answer.outcome] ?? answer.outcome
    return `${side} to move ${outcome}${answer.outcome === "draw" ? "" : ` in ${count(answer.plies)}`}`
}

function verdict(sentence, tone) {
    $("verdict").textContent = sentence
    $("verdict").className = tone
}

async function show() {
    const mine = ++asked
    chosen = null
    moves = []
    $("text").value = text()
    $("note").textContent = ""
    $("moves").replaceChildren()
    $("best").disabled = true
    history.replaceState(null, "", `?position=${text()}`)
    draw()
    if (over) {
        verdict(`${text()[0] === "S" ? "Gote" : "Sente"} has won`, "win")
        return
    }
    const response = await fetch(`dobutsu?fen=${encodeURIComponent(text())}`).catch(() => null)
    if (mine !== asked)
        return
    if (response === null || !response.ok) {
        verdict("No answer", "")
        $("note").textContent = response === null ? "The server does not answer. Has it been stopped?" :
            (await response.text()).trim()
        return
    }
    const answer = await response.json()
    moves = answer.moves
    $("best").disabled = false
    verdict(words(answer), answer.outcome)
    $("moves").replaceChildren(...groups([["Wins", "win"], ["Draws", "draw"], ["Losses", "loss"]].map(
        ([head, tone]) => ({head, tone, moves: moves.filter(one => one.outcome === tone)})),
    one => [one.move, one.outcome === "draw" ? "" : `in ${one.plies}`], play))
    draw()
}

function set(position) {
    if (!/^[SG](\/[-cgelr]{3}){4}\/(-|[cgel]+)$/i.test(position)) {
        verdict("No answer", "")
        $("note").textContent = `A position looks like ${start}`
        return
    }
    line = [position]
    over = false
    show()
}

$("back").onclick = () => {
    line = line.length > 1 ? line.slice(0, -1) : line
    over = false
    show()
}
$("best").onclick = () => moves.length > 0 && play(moves[0])
$("flip").onclick = () => {
    flipped = !flipped
    draw()
}
$("start").onclick = () => set(start)
$("form").onsubmit = event => {
    event.preventDefault()
    set($("text").value.trim())
}
set(new URLSearchParams(location.search).get("position") ?? start)
