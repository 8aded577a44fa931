// outcomes.js - the five outcomes in words: the only place with their names
//
// The keys are those of the server, in statistics and as categories of positions: for the side to move.
const outcomes = {
    "win": {name: "wins", side: "wins", title: "Wins", tone: "win"},
    "cursed-win": {name: "cursed wins", side: "wins too late for the 50-move rule",
        title: "Wins too late for the 50-move rule", tone: "cursed", term: "cursed"},
    "draw": {name: "draws", side: "draws", title: "Draws", tone: "draw"},
    "blessed-loss": {name: "blessed losses", side: "is saved by the 50-move rule",
        title: "Losses saved by the 50-move rule", tone: "blessed", term: "cursed"},
    "loss": {name: "losses", side: "loses", title: "Losses", tone: "loss"}
}
const unknown = {title: "Unknown", tone: "draw"}
// Categories of positions whose distance is rounded, as Syzygy files have them.
const rounded = {"syzygy-win": "win", "maybe-win": "win", "syzygy-loss": "loss", "maybe-loss": "loss"}

export const keys = Object.keys(outcomes)
export const outcome = key => outcomes[rounded[key] ?? key] ?? unknown
export const isWin = key => key.endsWith("win")

// The outcome for the other side.
export const turned = key => keys[keys.length - 1 - keys.indexOf(rounded[key] ?? key)] ?? "unknown"
