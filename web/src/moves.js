// moves.js - what the server says of a position, in words

// Categories of moves are those of the side that moves next: its loss is our win.
const groups = [
    {title: "Wins", tone: "win", of: ["loss", "syzygy-loss", "maybe-loss"]},
    {title: "Wins too late for the 50-move rule", tone: "draw", of: ["blessed-loss"]},
    {title: "Draws", tone: "draw", of: ["draw"]},
    {title: "Losses saved by the 50-move rule", tone: "draw", of: ["cursed-win"]},
    {title: "Losses", tone: "loss", of: ["win", "syzygy-win", "maybe-win"]},
    {title: "Unknown", tone: "draw", of: ["unknown"]}
]

export const groupMoves = moves => groups.map(group => ({...group, moves: moves.filter(move =>
    group.of.includes(move.category))})).filter(group => group.moves.length > 0)

// DTZ counts plies to the next capture or move of a pawn, or to mate; DTM those to mate, which few folders have.
export function distance(move) {
    if (move.checkmate)
        return "mate"
    if (move.stalemate)
        return "stalemate"
    const notes = move.zeroing ? ["zeroing"] : []
    if (move.dtz !== null && move.dtz !== 0)
        notes.push(`DTZ ${Math.abs(move.dtz)}`)
    if (move.dtm !== null && move.dtm !== 0)
        notes.push(`DTM ${Math.abs(move.dtm)}`)
    return notes.join(", ")
}

const outcomes = {
    "win": ["wins", "win"], "syzygy-win": ["wins", "win"], "maybe-win": ["wins", "win"],
    "loss": ["loses", "loss"], "syzygy-loss": ["loses", "loss"], "maybe-loss": ["loses", "loss"],
    "cursed-win": ["wins too late for the 50-move rule", "draw"],
    "blessed-loss": ["is saved by the 50-move rule", "draw"], "draw": ["draws", "draw"]
}

export function verdict(answer, side) {
    const name = side === "w" ? "White" : "Black"
    if (answer.checkmate)
        return {text: `${name} is checkmated`, tone: "loss"}
    if (answer.stalemate)
        return {text: `${name} is stalemated: a draw`, tone: "draw"}
    const outcome = outcomes[answer.category]
    if (outcome === undefined)
        return {text: "No table has this position", tone: "draw"}
    const plies = []
    if (answer.dtm !== null && answer.dtm !== 0)
        plies.push(`mate in ${Math.ceil(Math.abs(answer.dtm) / 2)}`)
    if (answer.dtz !== null && answer.dtz !== 0)
        plies.push(`DTZ ${Math.abs(answer.dtz)}`)
    return {text: `${name} to move ${outcome[0]}${plies.length > 0 ? ` (${plies.join(", ")})` : ""}`, tone: outcome[1]}
}
