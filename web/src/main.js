// main.js - the page: a board, what the tables say of its position, and a line of moves
//
// The state is a line of positions, steps[0] being the one that was set up, and the index of the one that is shown.
// What the server has said of each is kept.
import {Chess} from "chess.js"
import {Chessboard, COLOR, INPUT_EVENT_TYPE} from "cm-chessboard/src/Chessboard.js"
import {get} from "./answers.js"
import {squareCursor} from "./cursor.js"
import {examples, firstPosition} from "./examples.js"
import {explain, term, withTerms} from "./explain.js"
import {button, element, groups} from "./list.js"
import {Marks} from "./marks.js"
import {distance, groupMoves, verdict} from "./moves.js"
import {hideMaterial, showMaterial} from "./panel.js"
import {changes, fault, isBoard, place, readBoard, writeFen} from "./setup.js"
import {copy, save} from "./share.js"
import {address, hasTableOf, tablesThere} from "./tables.js"

const names = {k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn"}
const $ = id => document.getElementById(id)
const answers = new Map()
class NoAnswer extends Error {}
let steps = [{fen: "8/8/8/8/8/8/8/8 w - - 0 1"}]
let at = 0
let spare = null // the piece to place, "" to remove one, null: none is chosen
let legal = []   // moves in the position that is shown
let picked = null // the square of the man that is moved
let flipped = false // Black is nearer, or will be when the board has turned
let named = false // the address has the position
let shown = 0    // counts what was asked for, so that a late answer is dropped

const board = new Chessboard($("board"), {
    assetsUrl: "", style: {pieces: {file: "pieces.svg"}, animationDuration: 150},
    extensions: [{class: Marks}]
})
const fen = () => steps[at].fen
const side = () => fen().split(" ")[1] === "b" ? "b" : "w"
const settingUp = () => !$("tools").hidden
const clock = () => Number(fen().split(" ")[4] ?? 0)
const note = text => { $("note").textContent = text }

async function ask(path, position) {
    const key = path + position
    if (!answers.has(key)) {
        const response = await get(`${path}?fen=${encodeURIComponent(position)}`).catch(() => {
            throw new NoAnswer("The server does not answer. Has it been stopped?")
        })
        if (!response.ok)
            throw new (response.status < 500 ? Error : NoAnswer)((await response.text()).trim())
        answers.set(key, await response.json())
    }
    return answers.get(key)
}

// ---- the line ----

function step(from, uci) {
    const chess = new Chess(from, {skipValidation: true})
    const move = chess.move({from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci[4]})
    return {fen: chess.fen(), san: move.san, uci}
}

function play(uci) {
    named = true
    steps = [...steps.slice(0, at + 1), step(fen(), uci)]
    at++
    show(true)
}

function go(index) {
    named ||= index > 0
    at = Math.max(0, Math.min(index, steps.length - 1))
    show(false)
}

function setPosition(position, push = true) {
    named ||= push
    steps = [{fen: position.trim().replaceAll("_", " ")}]
    at = 0
    return show(push)
}

// Appends the best line to the position that is shown.
async function bestLine() {
    const mine = shown
    try {
        const {mainline} = await ask("standard/mainline", fen())
        if (mine !== shown)
            return false
        steps = steps.slice(0, at + 1)
        for (const {uci} of mainline)
            steps.push(step(steps.at(-1).fen, uci))
        showLine()
        note(mainline.length === 0 ? "There is no line to play: the position is drawn or over." : "")
        return mainline.length > 0
    } catch (error) {
        note(error.message)
        return false
    }
}

// At the end of the line, the best one goes on.
async function forward() {
    if (at + 1 < steps.length || await bestLine())
        go(at + 1)
}

// "1. Qd5 Ka8 2. Qa2+", or "1… Ka8" if Black begins.
function showLine() {
    $("line-part").hidden = steps.length < 2
    $("line").replaceChildren(...steps.slice(1).map((one, i) => {
        const [, mover, , , , number] = steps[i].fen.split(" ")
        const made = button(one.san, () => go(i + 1))
        if (i + 1 === at)
            made.setAttribute("aria-current", "step")
        const item = element("li", made)
        if (mover === "w" || i === 0)
            item.prepend(element("span", `${number ?? 1}${mover === "w" ? "." : "…"}`))
        return item
    }))
}

function pgn() {
    const chess = new Chess(steps[0].fen, {skipValidation: true})
    chess.setHeader("SetUp", "1")
    chess.setHeader("FEN", steps[0].fen)
    for (const {uci} of steps.slice(1))
        chess.move({from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci[4]})
    if (chess.isCheckmate())
        chess.setHeader("Result", chess.turn() === "w" ? "0-1" : "1-0")
    else if (chess.isStalemate())
        chess.setHeader("Result", "1/2-1/2")
    return chess.pgn()
}

// ---- the position ----

async function show(push) {
    const mine = ++shown
    const url = `?fen=${fen().replaceAll(" ", "_")}`
    if (named)
        history[push ? "pushState" : "replaceState"](null, "", url)
    $("examples").hidden = named
    $("remedy").hidden = true
    $("fen").value = fen()
    $("side").value = side()
    $("clock").value = clock()
    legal = []
    pick(null)
    const {uci} = steps[at]
    board.mark({last: uci === undefined ? [] : [uci.slice(0, 2), uci.slice(2, 4)], arrow: null})
    showLine()
    note("")
    board.disableMoveInput()
    if (isBoard(fen()))
        board.setPosition(fen().split(" ")[0], true)
    $("board").querySelector("svg").setAttribute("aria-label", `Board: ${fen().split(" ")[0]}`)
    if (settingUp())
        board.enableMoveInput(onSetupInput)
    try {
        const wrong = fault(fen())
        if (wrong !== null)
            throw new Error(wrong)
        const answer = await ask("standard", fen())
        if (mine === shown)
            showAnswer(answer)
    } catch (error) {
        if (mine === shown)
            showFault(error)
    }
}

// What went wrong, and a button that may mend it.
function showFault(error) {
    const text = error.message
    const remedy = (words, act) => {
        $("remedy").replaceChildren(button(words, act))
        $("remedy").hidden = false
    }
    $("verdict").textContent = error instanceof NoAnswer ? "No answer" : "Not a position"
    $("verdict").className = ""
    $("moves").replaceChildren()
    hideMaterial()
    note(text.replace(/^FEN: (.*)$/, "$1."))
    if (error instanceof NoAnswer)
        remedy("Try again", () => show(false))
    else if (/is in check, but .* to move/.test(text))
        remedy(`${side() === "w" ? "Black" : "White"} to move`, () => changeSide(side() === "w" ? "b" : "w"))
}

function showAnswer(answer) {
    const {parts, tone} = verdict(answer, side(), clock())
    $("verdict").replaceChildren(...withTerms(parts))
    $("verdict").className = tone
    legal = answer.moves
    const moves = groupMoves(answer.moves).map(group =>
        ({...group, head: group.term === undefined ? group.title : term(group.title, group.term)}))
    $("moves").replaceChildren(...groups(moves, move => [move.san, distance(move)], move => play(move.uci)))
    $("moves").querySelectorAll("ul").forEach((list, i) => list.querySelectorAll("button").forEach((made, j) => {
        const {uci} = moves[i].moves[j]
        const draw = on => board.mark({arrow: on ? {from: uci.slice(0, 2), to: uci.slice(2, 4), tone: moves[i].tone} : null})
        for (const [event, on] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]])
            made.addEventListener(event, () => draw(on))
    }))
    showMaterial(fen(), answer.dtz, setPosition).catch(() => hideMaterial())
    if (!settingUp())
        board.enableMoveInput(onInput, side() === "w" ? COLOR.white : COLOR.black)
}

function onInput(event) {
    if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
        const can = legal.some(move => move.uci.startsWith(event.squareFrom))
        pick(can ? event.squareFrom : null)
        return can
    }
    if (event.type === INPUT_EVENT_TYPE.moveInputCanceled)
        pick(null)
    if (event.type !== INPUT_EVENT_TYPE.validateMoveInput)
        return true
    const fitting = movesBetween(event.squareFrom, event.squareTo)
    pick(null)
    setTimeout(() => playOne(fitting))
    return fitting.length === 1
}

const movesBetween = (from, to) => legal.filter(move => move.uci.slice(0, 4) === from + to)

function playOne(fitting) {
    if (fitting.length === 1)
        play(fitting[0].uci)
    else if (fitting.length > 1)
        promote(fitting)
}

const picture = piece => `<svg viewBox="0 0 40 40" aria-hidden="true"><use href="#${piece}"/></svg>`

// The choice stands at the square of promotion, as far as the window allows.
function promote(moves) {
    const dialog = $("promotion")
    const choices = moves.map(move => {
        const made = button("", () => {
            dialog.close()
            play(move.uci)
        })
        made.innerHTML = picture(side() + move.uci[4])
        made.setAttribute("aria-label", names[move.uci[4]])
        return made
    })
    dialog.replaceChildren(...choices, button("Cancel", () => dialog.close()))
    dialog.showModal()
    const square = $("board").querySelector(`rect[data-square=${moves[0].uci.slice(2, 4)}]`).getBoundingClientRect()
    const {width, height} = dialog.getBoundingClientRect()
    dialog.style.left = `${Math.max(4, Math.min(square.left, innerWidth - width - 4))}px`
    dialog.style.top = `${Math.max(4, Math.min(square.top, innerHeight - height - 4))}px`
}

// "Qd8+", "qd8", "a5d8", "e8=Q": the legal move that is meant.
function typed(text) {
    const plain = move => move.replace(/[-+#x=\s]/g, "").toLowerCase()
    const exact = legal.filter(move => move.san.replace(/[+#]/g, "") === text.replace(/[+#]/g, ""))
    const near = legal.filter(move => [plain(move.san), move.uci].includes(plain(text)))
    return exact[0] ?? (near.length === 1 ? near[0] : undefined)
}

function onTyped(event) {
    event.preventDefault()
    const text = $("typed").value.trim()
    const move = typed(text)
    if (text === "")
        return
    if (move === undefined) {
        note(`${text} is not a move here.`)
        return
    }
    $("typed").value = ""
    play(move.uci)
}

// ---- the square cursor ----

function describe(square) {
    const piece = readBoard(fen()).get(square)
    return piece === undefined ? "empty" : `${piece[0] === "w" ? "White" : "Black"} ${names[piece[1]]}`
}

function pick(square) {
    const targets = square === null || settingUp() ? [] :
        legal.filter(move => move.uci.startsWith(square)).map(move => move.uci.slice(2, 4))
    board.mark({picked: square, targets: [...new Set(targets)]})
    picked = square
}

// Enter takes a man up and puts it down; Escape (null) leaves it.
function pressSquare(square) {
    const from = picked
    const now = readBoard(fen())
    pick(null)
    if (square === null)
        return
    if (settingUp() && spare !== null) {
        change(place(now, square, spare || null))
    } else if (from !== null && from !== square && settingUp()) {
        const piece = now.get(from)
        now.delete(from)
        change(place(now, square, piece))
    } else if (from !== null && movesBetween(from, square).length > 0) {
        playOne(movesBetween(from, square))
    } else if (from !== square && (settingUp() ? now.has(square) : legal.some(move => move.uci.startsWith(square)))) {
        pick(square)
    }
}

// ---- setting up ----

function change(board) {
    setPosition(writeFen(board, $("side").value), false)
}

// The same men, but another side to move: no en passant.
function changeSide(colour) {
    const [men, , castling, , ...numbers] = fen().split(" ")
    setPosition([men, colour, castling ?? "-", "-", ...numbers].join(" "))
}

function changeClock() {
    const [men, colour, castling, passing, , number] = fen().split(" ")
    const plies = Math.max(0, Math.min(150, Math.round($("clock").valueAsNumber || 0)))
    setPosition([men, colour ?? "w", castling ?? "-", passing ?? "-", plies, number ?? 1].join(" "))
}

function onSetupInput(event) {
    const now = readBoard(fen())
    if (event.type === INPUT_EVENT_TYPE.validateMoveInput && event.squareTo) {
        const piece = now.get(event.squareFrom)
        now.delete(event.squareFrom)
        setTimeout(() => change(place(now, event.squareTo, piece)))
    } else if (event.type === INPUT_EVENT_TYPE.moveInputCanceled && event.reason === "movedOutOfBoard") {
        setTimeout(() => change(place(now, event.squareFrom, null)))
    }
    return spare === null
}

function chooseSpare(made, piece) {
    spare = spare === piece ? null : piece
    for (const other of $("spare").children)
        other.setAttribute("aria-pressed", String(other === made && spare !== null))
}

function fillSpare() {
    for (const colour of "wb") {
        for (const piece of Object.keys(names)) {
            const made = button("", () => chooseSpare(made, colour + piece))
            made.innerHTML = picture(colour + piece)
            made.setAttribute("aria-label", `${colour === "w" ? "White" : "Black"} ${names[piece]}`)
            made.setAttribute("aria-pressed", "false")
            $("spare").append(made)
        }
    }
    const made = button("Remove", () => chooseSpare(made, ""))
    made.setAttribute("aria-pressed", "false")
    $("spare").append(made)
}

// ---- controls ----

function onKey(event) {
    if (event.target.matches("input, select, textarea, dialog *") || event.altKey || event.ctrlKey || event.metaKey)
        return
    const keys = {ArrowLeft: () => go(at - 1), ArrowRight: forward, Home: () => go(0), End: () => go(steps.length - 1)}
    if (Object.hasOwn(keys, event.key)) {
        event.preventDefault()
        keys[event.key]()
    }
}

// Without ?fen= the page shows examples, and one of them on the board.
async function fromUrl() {
    const wanted = new URLSearchParams(location.search).get("fen")
    named = wanted !== null && wanted !== ""
    if (named) {
        setPosition(wanted, false)
        return
    }
    showExamples(null)
    await setPosition(examples[0].fen, false)
    const there = await tablesThere().catch(() => new Map()) // takes longer than a position
    showExamples(there)
    if (!named && !hasTableOf(there, examples[0].fen))
        setPosition(firstPosition(there), false)
}

// `there`: the tables, or null while they are not known.
function showExamples(there) {
    $("examples").querySelector("ul").replaceChildren(...examples.map(one => {
        const link = element("a", one.name)
        link.href = address(one.fen)
        const item = element("li", link)
        item.append(`: ${one.text}`)
        if (there !== null && !hasTableOf(there, one.fen))
            item.append(" ", element("small", "(no table here)"))
        return item
    }))
}

$("first").onclick = () => go(0)
$("back").onclick = () => go(at - 1)
$("forward").onclick = forward
$("last").onclick = () => go(steps.length - 1)
$("best").onclick = bestLine
$("flip").onclick = () => {
    flipped = !flipped
    board.setOrientation(flipped ? COLOR.black : COLOR.white)
}
$("setup").onclick = () => {
    $("tools").hidden = settingUp()
    $("setup").setAttribute("aria-pressed", String(settingUp()))
    chooseSpare(null, null)
    setPosition(fen(), !settingUp())
}
$("side").onchange = () => changeSide($("side").value)
$("clock").onchange = changeClock
$("link").onclick = () => copy(new URL(address(fen()), location.href).href, "The link is", note)
$("pgn").onclick = () => copy(pgn(), "The PGN is", note)
$("save").onclick = () => save(pgn(), "cltb.pgn")
$("form").onsubmit = event => {
    event.preventDefault()
    setPosition($("fen").value)
}
$("move").onsubmit = onTyped
squareCursor($("board"), $("square"), {
    isFlipped: () => flipped, describe, press: pressSquare, mark: cursor => board.mark({cursor}),
    remove: square => settingUp() && change(place(readBoard(fen()), square, null))
})
$("board").addEventListener("pointerdown", event => {
    const square = event.target.closest("[data-square]")?.dataset.square
    if (settingUp() && spare !== null && square)
        change(place(readBoard(fen()), square, spare || null))
})
for (const one of document.querySelectorAll("[data-change]"))
    one.onclick = () => change(changes[one.dataset.change](readBoard(fen())))
for (const one of document.querySelectorAll("[data-term]"))
    one.onclick = () => explain(one.dataset.term)
document.addEventListener("keydown", onKey)
window.addEventListener("popstate", fromUrl)
fillSpare()
fromUrl()
