// list.js - lists of buttons
export function element(name, child, className = "") {
    const made = document.createElement(name)
    made.append(child)
    made.className = className
    return made
}

export function button(text, press) {
    const made = element("button", text)
    made.addEventListener("click", press)
    return made
}

// A heading and a list of buttons for each group {head, tone, moves} that has moves. words(move): [text, small text]
export function groups(all, words, play) {
    return all.filter(group => group.moves.length > 0).flatMap(group => {
        const list = document.createElement("ul")
        for (const move of group.moves) {
            const [text, small] = words(move)
            const made = button(text, () => play(move))
            made.append(" ", element("small", small))
            list.append(element("li", made))
        }
        const heading = element("h3", group.head, group.tone)
        heading.append(` (${group.moves.length})`)
        return [heading, list]
    })
}
