// pieces.mjs - the pieces, drawn for this page: outlines on a field of 40 x 40, in the colours of both sides

const base = "M9 35v-3q0-2 2-2h18q2 0 2 2v3z"
const outlines = {
    p: ["M20 9a5 5 0 0 1 3.4 8.7q1.1 6.8 5.6 12.3H11q4.5-5.5 5.6-12.300A5 5 0 0 1 20 9z", base],
    n: ["M12 30q0-7 7-11-4 .5-6 3.500l-4-2.500q1-8 8-11l.5-4 4 3.200Q31 10 30 30z", base],
    b: ["M20 5.500a2.3 2.3 0 0 1 1.6 4Q29 15 28 20q-.8 3.6-4.5 5l1.5 5H15l1.5-5q-3.7-1.4-4.5-5-1-5 6.4-10.500a2.3 " +
        "2.3 0 0 1 1.6-4zM20 14v7M16.5 17.500h7", base],
    r: ["M11 7h4.500v3h2.500V7h4v3h2.500V7H29v8l-3 2.500V26l2.5 4h-17l2.5-4v-8.500L11 15z", base],
    q: ["M12 30 7 13l6.5 6L15 9.500l5 8.5 5-8.5 1.5 9.5 6.5-6-5 17z", base],
    k: ["M18.7 4h2.600v2.700H24v2.600h-2.700V13q8.7-1.5 10 4.5.8 5-4.3 12.500H13Q7.9 22.5 8.7 17.500q1.3-6 " +
        "10-4.500V9.300H16V6.700h2.700z", base]
}
const colours = {w: {fill: "#fdfaf3", stroke: "#1c1a17"}, b: {fill: "#35302b", stroke: "#f1e9da"}}

export function sprite() {
    const pieces = Object.entries(colours).flatMap(([side, {fill, stroke}]) =>
        Object.entries(outlines).map(([piece, paths]) =>
            `<g id="${side}${piece}" fill="${fill}" stroke="${stroke}" stroke-width="1.4" stroke-linejoin="round">` +
            paths.map(d => `<path d="${d}"/>`).join("") + "</g>"))
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">\n${pieces.join("\n")}\n</svg>\n`
}
