// cursor.js - a square of the board that the arrow keys move, for those who use no pointer
//
// The board takes the focus. Enter or Space calls press(square), Delete remove(square), Escape press(null); each
// square that the cursor comes to is said in the live region. The cursor is seen (class "keys") from the first key on,
// or if the focus came by a key.
const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}

export function squareCursor(board, spoken, {isFlipped, describe, press, remove, mark}) {
    let square = "e1"
    const say = () => { spoken.textContent = `${square}: ${describe(square)}` }
    const see = seen => {
        board.classList.toggle("keys", seen)
        mark(seen ? square : null)
    }
    const move = ([file, rank]) => {
        const way = isFlipped() ? -1 : 1
        const inside = n => Math.max(0, Math.min(7, n))
        square = "abcdefgh"[inside("abcdefgh".indexOf(square[0]) + file * way)] +
            (inside(Number(square[1]) - 1 + rank * way) + 1)
        see(true)
        say()
    }
    const keys = {Enter: () => press(square), " ": () => press(square), Escape: () => press(null),
        Delete: () => remove(square), Backspace: () => remove(square)}
    board.tabIndex = 0
    board.addEventListener("focus", () => { see(board.matches(":focus-visible")); say() })
    board.addEventListener("blur", () => see(false))
    board.addEventListener("pointerdown", () => see(false))
    board.addEventListener("keydown", event => {
        if (event.altKey || event.ctrlKey || event.metaKey)
            return
        const act = Object.hasOwn(steps, event.key) ? () => move(steps[event.key]) :
            Object.hasOwn(keys, event.key) ? keys[event.key] : null
        if (act === null)
            return
        event.preventDefault()
        event.stopPropagation() // elsewhere the arrows go along the line
        see(true)
        act()
    })
}
