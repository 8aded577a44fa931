// share.js - texts for elsewhere: copied, or saved as a file
import {button, element} from "./list.js"

const $ = id => document.getElementById(id)

// Without encryption browsers have no clipboard for pages: then the text is shown, selected, to be copied by hand.
export async function copy(text, what, note) {
    try {
        await navigator.clipboard.writeText(text)
        note(`${what} copied.`)
    } catch {
        const area = document.createElement("textarea")
        const dialog = $("explanation")
        area.value = text
        area.readOnly = true
        area.rows = 8
        area.setAttribute("aria-label", "Text to copy")
        dialog.replaceChildren(element("p", "Copy this with Ctrl+C or by a long touch:"), area,
            button("Close", () => dialog.close()))
        dialog.setAttribute("aria-label", "Copy")
        dialog.showModal()
        area.focus()
        area.select()
    }
}

export function save(text, name) {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([text], {type: "application/x-chess-pgn"}))
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}
