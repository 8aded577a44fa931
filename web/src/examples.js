// examples.js - famous positions; the first whose table is there is what the page shows at first
import {hasTableOf} from "./tables.js"

export const examples = [
    {name: "Saavedra, 1895", text: "one move wins, with a promotion to a rook", fen: "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"},
    {name: "Philidor, 1777", text: "queen against rook", fen: "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1"},
    {name: "Lucena", text: "the rook builds a bridge", fen: "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"},
    {name: "Philidor’s defence", text: "rook and pawn do not win", fen: "4k3/7R/r7/3KP3/8/8/8/8 b - - 0 1"},
    {name: "Réti, 1921", text: "a king catches two pawns", fen: "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"},
    {name: "Two bishops against a knight", text: "mate in 78 moves: too late for the 50-move rule",
        fen: "8/8/8/1B6/8/8/4n3/1KBk4 w - - 0 1"},
    {name: "Trébuchet", text: "whoever has to move loses", fen: "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"}
]
const fallback = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1"

export const firstPosition = there => examples.find(one => hasTableOf(there, one.fen))?.fen ?? fallback
