// moves.js - what the server says of a position, in words
//
// Values of a move are the server's for the position after it. The page shows them as `cltb probe` does, for the side
// that moves and counted from before the move: the best move has the distance of the position.
import {keys, outcome, turned} from "./outcomes.js"

const plies = move => {
    const after = Math.abs(move.dtz)
    return move.checkmate ? 1 : move.zeroing ? (after > 100 ? 101 : 1) : after + 1
}
const mates = (dtm, won) => `${won ? "mate" : "mated"} in ${Math.ceil(Math.abs(dtm) / 2)}`

export const groupMoves = moves => [...keys, "unknown"].map(key => ({...outcome(key), key,
    moves: moves.filter(move => turned(move.category) === key || key === "unknown" && move.category === key)}))
    .filter(group => group.moves.length > 0)

// DTZ counts plies to the next capture or move of a pawn, or to mate; DTM those to mate, which few folders have.
export function distance(move) {
    if (move.checkmate)
        return "mate"
    if (move.stalemate)
        return "stalemate"
    const notes = []
    if (move.dtm)
        notes.push(mates(Math.abs(move.dtm) + 1, move.dtm < 0))
    if (move.dtz)
        notes.push(`DTZ ${plies(move)}`)
    return notes.join(", ")
}

// {parts, tone}: a part is a text, or [a text, the section of the help that explains it].
export function verdict(answer, side, clock) {
    const name = side === "w" ? "White" : "Black"
    if (answer.checkmate)
        return {parts: [`${name} is checkmated`], tone: "loss"}
    if (answer.stalemate)
        return {parts: [`${name} is stalemated: a draw`], tone: "draw"}
    const {side: does, tone, term} = outcome(answer.category)
    if (does === undefined)
        return {parts: ["No table has this position"], tone: "draw"}
    const notes = []
    const dtz = Math.abs(answer.dtz ?? 0)
    if (answer.dtm)
        notes.push([mates(answer.dtm, answer.dtm > 0), "dtm"])
    if (dtz > 0)
        notes.push([`DTZ ${dtz}`, "dtz"])
    if (term !== undefined && clock > 0 && dtz <= 100 && clock + dtz > 100)
        notes.push([`${clock} + ${dtz} > 100`, "clock"])
    const parts = [`${name} to move `, term === undefined ? does : [does, term]]
    notes.forEach((note, i) => parts.push(i === 0 ? " (" : ", ", note))
    return {parts: notes.length > 0 ? [...parts, ")"] : parts, tone}
}
