// marks.js - marks on the board: the last move, the picked man and where it can go, the cursor, an arrow
//
// board.mark({last: ["e2", "e4"], picked: "a5", targets: ["a6"], cursor: "e1", arrow: {from, to, tone}}) changes those
// that are named.
import {Extension, EXTENSION_POINT} from "cm-chessboard/src/model/Extension.js"

function svg(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name)
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value)
    return made
}

export class Marks extends Extension {
    constructor(board) {
        super(board)
        this.shown = {last: [], picked: null, targets: [], cursor: null, arrow: null}
        this.layer = board.view.markersTopLayer
        this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw())
        board.mark = changes => {
            Object.assign(this.shown, changes)
            this.draw()
        }
    }

    draw() {
        const {last, picked, targets, cursor, arrow} = this.shown
        for (const square of this.chessboard.view.boardGroup.querySelectorAll("[data-square]")) {
            square.classList.toggle("last", last.includes(square.dataset.square))
            square.classList.toggle("picked", picked === square.dataset.square)
        }
        this.layer.replaceChildren(...targets.map(square => this.dot(square)))
        if (cursor !== null) {
            const {squareWidth: size} = this.chessboard.view
            const {x, y} = this.chessboard.view.squareToPoint(cursor)
            this.layer.append(svg("rect", {x: x + 2, y: y + 2, width: size - 4, height: size - 4, class: "cursor"}))
        }
        if (arrow !== null)
            this.layer.append(this.arrow(arrow))
    }

    centre(square) {
        const {squareWidth: size} = this.chessboard.view
        const {x, y} = this.chessboard.view.squareToPoint(square)
        return {x: x + size / 2, y: y + size / 2, size}
    }

    // A dot on an empty square, a ring around a man.
    dot(square) {
        const {x, y, size} = this.centre(square)
        const taken = this.chessboard.getPiece(square)
        return svg("circle", {cx: x, cy: y, r: size * (taken ? .44 : .15), "stroke-width": size * .08,
            class: taken ? "target ring" : "target", "data-target": square})
    }

    arrow({from, to, tone}) {
        const a = this.centre(from)
        const b = this.centre(to)
        const length = Math.hypot(b.x - a.x, b.y - a.y)
        const [x, y] = [(b.x - a.x) / length, (b.y - a.y) / length]
        const point = (along, across) =>
            `${a.x + (along * x - across * y) * a.size},${a.y + (along * y + across * x) * a.size}`
        const tip = length / a.size - .1
        const points = [[.25, -.08], [tip - .4, -.08], [tip - .4, -.24], [tip, 0], [tip - .4, .24], [tip - .4, .08],
            [.25, .08]].map(([along, across]) => point(along, across)).join(" ")
        return svg("polygon", {points, class: `arrow ${tone}`, "data-arrow": from + to})
    }
}
