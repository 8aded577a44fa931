// tables.js - the tables that the server has
import {get} from "./answers.js"
import {materialOf} from "./material.js"

let asked = null

// Material -> table, for distances to zeroing; a table has `mates` if there is one of distances to mate, too.
export function tablesThere() {
    asked ??= get("endgames").then(response => response.json()).then(all => {
        const there = new Map(all.filter(table => !table.metric.startsWith("dtm") && !table.metric.startsWith("dtc"))
            .map(table => [table.material, table]))
        for (const table of all) {
            const full = there.get(table.material.replace(".dtm", ""))
            if (table.metric === "dtm" && full !== undefined)
                full.mates = true
        }
        return there
    }).catch(error => {
        asked = null
        throw error
    })
    return asked
}

export const hasTableOf = (there, fen) => there.has(materialOf(fen).name)

// A legal position of a material: nobody's men look at the other king.
function anyPosition(name) {
    const squares = [...Array(64)].fill("1")
    name.split("v").forEach((men, side) => {
        const [first, second] = side === 0 ? [56, 48] : [7, 15] // a1 and a2; h8 and h7
        const way = side === 0 ? 1 : -1
        ;[...men].forEach((piece, i) => {
            squares[(piece === "P" ? second : first) + way * i] = side === 0 ? piece : piece.toLowerCase()
        })
    })
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map(row => squares.slice(8 * row, 8 * row + 8).join(""))
    return `${rows.join("/").replace(/1+/g, ones => ones.length)} w - - 0 1`
}

const full = fen => `${fen.split(" ").slice(0, 4).join(" ")} 0 1`

// The longest win, {winner, cursed, plies, fen}, of a table that keeps statistics; undefined: there is none.
export const longestOf = table => [...table?.longest ?? []].sort((a, b) => b.plies - a.plies)[0]

// The longest win of a material, or else any position.
export const positionOf = (name, table) => {
    const longest = longestOf(table)
    return longest === undefined ? anyPosition(name) : full(longest.fen)
}

// Without a server the address of a folder does not lead to its page.
const start = location.protocol === "file:" ? "index.html" : "./"

export const address = fen => `${start}?fen=${fen.replaceAll(" ", "_")}`
