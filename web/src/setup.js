// setup.js - changes to a position that is set up: maps from squares ("a1") to pieces ("wk"), and their FEN

const files = "abcdefgh"

export function readBoard(fen) {
    const board = new Map()
    fen.split(" ")[0].split("/").forEach((row, i) => {
        let file = 0
        for (const c of row) {
            if (c >= "1" && c <= "8")
                file += Number(c)
            else
                board.set(files[file++] + (8 - i), (c < "a" ? "w" : "b") + c.toLowerCase())
        }
    })
    return board
}

export const isBoard = fen => /^([1-8pnbrqk]+\/){7}[1-8pnbrqk]+( |$)/i.test(fen)

// Why the server need not be asked; null: it can be.
export function fault(fen) {
    if (!isBoard(fen))
        return "A FEN has eight rows of pieces and numbers, with '/' between them."
    const kings = [...readBoard(fen).values()].filter(piece => piece[1] === "k").sort().join()
    return kings === "bk,wk" ? null : "Each side needs a king."
}

export function writeFen(board, side) {
    const rows = []
    for (let rank = 8; rank >= 1; rank--) {
        let row = ""
        for (const file of files) {
            const piece = board.get(file + rank)
            row += piece === undefined ? "1" : piece[0] === "w" ? piece[1].toUpperCase() : piece[1]
        }
        rows.push(row.replace(/1+/g, ones => ones.length))
    }
    return `${rows.join("/")} ${side} - - 0 1`
}

// A side has one king: another one moves the first.
export function place(board, square, piece) {
    const result = new Map(board)
    if (piece === null) {
        result.delete(square)
        return result
    }
    if (piece[1] === "k")
        result.forEach((other, at) => { if (other === piece) result.delete(at) })
    return result.set(square, piece)
}

function moved(board, file, rank) {
    const result = new Map()
    board.forEach((piece, square) => {
        result.set(files[file(files.indexOf(square[0])) & 7] + ((rank(Number(square[1]) - 1) & 7) + 1), piece)
    })
    return result
}

const same = i => i
// Pieces that are shifted over an edge come back at the other one.
export const changes = {
    clear: () => new Map(),
    colours: board => new Map([...board].map(([square, piece]) => [square, (piece[0] === "w" ? "b" : "w") + piece[1]])),
    files: board => moved(board, i => 7 - i, same),
    ranks: board => moved(board, same, i => 7 - i),
    left: board => moved(board, i => i - 1, same),
    right: board => moved(board, i => i + 1, same),
    up: board => moved(board, same, i => i + 1),
    down: board => moved(board, same, i => i - 1)
}
