// positions.mjs - random positions of the tables in a folder, and what the command says of them
import {spawnSync} from "node:child_process"
import {readdirSync} from "node:fs"

// The same numbers in every run.
export function generator(seed) {
    let state = seed
    return limit => {
        state = (state + 0x6d2b79f5) | 0
        let t = Math.imul(state ^ (state >>> 15), 1 | state)
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
        return ((t ^ (t >>> 14)) >>> 0) % limit
    }
}

export const materialsOf = folder => readdirSync(folder).filter(name => /^K\w*vK\w*\.cltb$/.test(name))
    .map(name => name.slice(0, -5)).sort()

// A FEN with the men of a table, in these colours or flipped; not always a legal position.
export function randomFen(material, random) {
    const flip = random(2) === 1
    const board = Array(64).fill("")
    const men = material.split("v").flatMap((side, colour) =>
        [...side].map(man => (colour === 0) !== flip ? man : man.toLowerCase()))
    for (const man of men) {
        let square
        do
            square = man.toUpperCase() === "P" ? 8 + random(48) : random(64)
        while (board[square] !== "")
        board[square] = man
    }
    const rows = Array.from({length: 8}, (_, row) =>
        board.slice(8 * row, 8 * row + 8).map(man => man || "1").join("").replace(/1+/g, ones => String(ones.length)))
    const clock = random(4) === 0 ? random(101) : 0
    return `${rows.join("/")} ${random(2) === 0 ? "w" : "b"} - - ${clock} 1`
}

// For each line of text what `cltb probe --format FORMAT` prints.
export function probe(cltb, folder, format, fens) {
    const options = {encoding: "utf8", maxBuffer: 1 << 30, input: fens.map(fen => `${fen}\n`).join("")}
    const run = spawnSync(cltb, ["probe", "--dir", folder, "--format", format, "-"], options)
    return format === "json" ? JSON.parse(run.stdout) : run.stdout.split("\n").slice(0, -1)
}
