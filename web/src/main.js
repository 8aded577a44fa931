// main.js - the page: a board, what the tables say of its position, and a line of moves
//
// The state is a line of positions, steps[0] being the one that was set up, and the index of the one that is shown.
// What the server has said of each is kept.
import {Chess} from "chess.js"
import {Chessboard, COLOR, INPUT_EVENT_TYPE} from "cm-chessboard/src/Chessboard.js"
import {squareCursor} from "./cursor.js"
import {button, element, groups} from "./list.js"
import {distance, groupMoves, verdict} from "./moves.js"
import {hideMaterial, showMaterial} from "./panel.js"
import {changes, fault, isBoard, place, readBoard, writeFen} from "./setup.js"

const start = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1"
const names = {k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn"}
const $ = id => document.getElementById(id)
const answers = new Map()
let steps = [{fen: start}]
let at = 0
let spare = null // the piece to place, "" to remove one, null: none is chosen
let legal = []   // moves in the position that is shown
let picked = null // the square from which a man is moved by keys
let flipped = false // Black is nearer, or will be when the board has turned
let shown = 0    // counts what was asked for, so that a late answer is dropped

const board = new Chessboard($("board"), {
    assetsUrl: "", style: {pieces: {file: "pieces.svg"}, animationDuration: 150}
})
const fen = () => steps[at].fen
const side = () => fen().split(" ")[1] === "b" ? "b" : "w"
const settingUp = () => !$("tools").hidden
const note = text => { $("note").textContent = text }

async function ask(path, position) {
    const key = path + position
    if (!answers.has(key)) {
        const response = await fetch(`${path}?fen=${encodeURIComponent(position)}`)
        if (!response.ok)
            throw new Error((await response.text()).trim())
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
    steps = [...steps.slice(0, at + 1), step(fen(), uci)]
    at++
    show(true)
}

function go(index) {
    at = Math.max(0, Math.min(index, steps.length - 1))
    show(false)
}

function setPosition(position, push = true) {
    steps = [{fen: position.trim().replaceAll("_", " ")}]
    at = 0
    show(push)
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

function showLine() {
    $("line-head").hidden = steps.length < 2
    $("line").replaceChildren(...steps.slice(1).map((one, i) => {
        const made = button(one.san, () => go(i + 1))
        if (i + 1 === at)
            made.setAttribute("aria-current", "step")
        return element("li", made)
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
    history[push ? "pushState" : "replaceState"](null, "", url)
    $("fen").value = fen()
    $("side").value = side()
    legal = []
    pick(null)
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
            showFault(error.message)
    }
}

function showFault(text) {
    $("verdict").textContent = "No answer"
    $("verdict").className = ""
    $("moves").replaceChildren()
    hideMaterial()
    note(text)
}

function showAnswer(answer) {
    const {text, tone} = verdict(answer, side())
    $("verdict").textContent = text
    $("verdict").className = tone
    legal = answer.moves
    $("moves").replaceChildren(...groups(groupMoves(answer.moves), move => [move.san, distance(move)],
        move => play(move.uci)))
    showMaterial(fen(), answer.dtz, setPosition)
    if (!settingUp())
        board.enableMoveInput(onInput, side() === "w" ? COLOR.white : COLOR.black)
}

function onInput(event) {
    if (event.type === INPUT_EVENT_TYPE.moveInputStarted)
        return legal.some(move => move.uci.startsWith(event.squareFrom))
    if (event.type !== INPUT_EVENT_TYPE.validateMoveInput)
        return true
    const fitting = movesBetween(event.squareFrom, event.squareTo)
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

function promote(moves) {
    const dialog = $("promotion")
    dialog.replaceChildren(...moves.map(move => button(names[move.uci[4]], () => {
        dialog.close()
        play(move.uci)
    })))
    dialog.showModal()
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
    $("board").querySelectorAll("rect.picked").forEach(one => one.classList.remove("picked"))
    $("board").querySelector(`rect[data-square=${square}]`)?.classList.add("picked")
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
            made.innerHTML = `<svg viewBox="0 0 40 40" aria-hidden="true"><use href="#${colour}${piece}"/></svg>`
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

async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text)
        note(`${what} copied.`)
    } catch {
        note(text) // the browser does not let us
    }
}

function onKey(event) {
    if (event.target.matches("input, select") || event.altKey || event.ctrlKey || event.metaKey)
        return
    const keys = {ArrowLeft: () => go(at - 1), ArrowRight: forward, Home: () => go(0), End: () => go(steps.length - 1)}
    if (Object.hasOwn(keys, event.key)) {
        event.preventDefault()
        keys[event.key]()
    }
}

function fromUrl() {
    setPosition(new URLSearchParams(location.search).get("fen") || start, false)
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
$("side").onchange = () => change(readBoard(fen()))
$("link").onclick = () => copy(location.href, "The link is")
$("pgn").onclick = () => copy(pgn(), "The PGN is")
$("form").onsubmit = event => {
    event.preventDefault()
    setPosition($("fen").value)
}
$("move").onsubmit = onTyped
squareCursor($("board"), $("square"), {
    isFlipped: () => flipped, describe, press: pressSquare,
    remove: square => settingUp() && change(place(readBoard(fen()), square, null))
})
$("board").addEventListener("pointerdown", event => {
    const square = event.target.closest("[data-square]")?.dataset.square
    if (settingUp() && spare !== null && square)
        change(place(readBoard(fen()), square, spare || null))
})
for (const one of document.querySelectorAll("[data-change]"))
    one.onclick = () => change(changes[one.dataset.change](readBoard(fen())))
document.addEventListener("keydown", onKey)
window.addEventListener("popstate", fromUrl)
fillSpare()
fromUrl()
