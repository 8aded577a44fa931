// test.mjs CLTB TABLES PICTURES [dobutsu] - the pages in Chromium: moves, set-up, links, keys, statistics, dobutsu, a
// build; on a desk and on a phone, in light and dark, with axe-core's rules. Screenshots go to the folder PICTURES.
// With "dobutsu": only that page, with the table of the game.
import {spawn} from "node:child_process"
import {appendFileSync, existsSync, readFileSync} from "node:fs"
import assert from "node:assert/strict"
import {chromium} from "playwright-core"

const [cltb, tables, pictures, only] = process.argv.slice(2)
const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8")
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(path => existsSync(path))
const events = `${pictures}/build.jsonl`
const server = spawn(cltb, ["serve", "--dir", tables, "--listen", "127.0.0.1:0", "--watch", events],
    {stdio: ["ignore", "pipe", "inherit"]})
const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", line => resolve(String(line).match(/http:\S+/)[0]))
    server.on("exit", () => reject(new Error("cltb serve has ended")))
})
const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]})
const faults = []
const position = "1k6/1r6/2K5/Q7/8/8/8/8_w_-_-_0_1"

const lost = (move, plies) => ({move, outcome: "loss", plies, wins: false})
const opening = {outcome: "loss", plies: 78, moves: [
    lost("Gc4-c3", 78), lost("Lb4-a3", 78), lost("Lb4-c3", 78), lost("Cb3xb2", 76)]}

async function open(options, fen) {
    const page = await (await browser.newContext(options)).newPage()
    page.setDefaultTimeout(30000)
    page.on("console", message => message.type() === "error" && faults.push(message.text()))
    page.on("pageerror", error => faults.push(error.message))
    page.on("request", request => request.url().startsWith(url) || request.url().startsWith("data:") ||
        faults.push(`a request to ${request.url()}`))
    if (fen === null)
        return page
    await page.goto(`${url}/?fen=${fen}`)
    await page.waitForSelector("#moves button")
    return page
}
const phone = {viewport: {width: 360, height: 720}, isMobile: true, hasTouch: true}

const verdict = (page, text) => page.waitForFunction(
    wanted => document.getElementById("verdict").textContent.includes(wanted), text)
const fen = page => page.inputValue("#fen")
const fenIs = (page, pattern, what) => page.waitForFunction(
    source => new RegExp(source).test(document.getElementById("fen").value), pattern.source)
    .catch(async () => assert.fail(`${what ?? "FEN"}: ${await fen(page)}, not ${pattern}`))

async function drag(page, from, to) {
    await page.evaluate(() => window.scrollTo(0, 0))
    const centre = async square => {
        const box = await page.locator(`#board rect[data-square=${square}]`).boundingBox()
        return [box.x + box.width / 2, box.y + box.height / 2]
    }
    await page.mouse.move(...await centre(from))
    await page.mouse.down()
    const target = to === null ? [2, 2] : await centre(to)
    await page.mouse.move(...target, {steps: 6})
    await page.mouse.up()
    await page.waitForTimeout(400)
}

async function checkAccess(page, name) {
    await page.evaluate(axe) // not a <script>, which the page's policy forbids
    const {violations} = await page.evaluate(() =>
        window.axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}))
    assert.deepEqual(violations.map(one => `${one.id}: ${one.nodes.map(node => node.html)}`), [], name)
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is too wide`)
    await page.waitForTimeout(400) // men that glide
    await page.screenshot({path: `${pictures}/${name}.png`, fullPage: true})
}

async function checkMoves() {
    const page = await open({permissions: ["clipboard-read", "clipboard-write"]}, position)
    await verdict(page, "White to move wins")
    await page.waitForSelector("text=There are none")
    await checkAccess(page, "light")
    const before = await fen(page)
    await drag(page, "a5", "b8")
    assert.equal(await fen(page), before, "an illegal drop changes nothing")
    await drag(page, "a5", "d8")
    await fenIs(page, /^1k1Q4\/1r6\/2K5\/8\/8\/8\/8\/8 b/)
    await verdict(page, "Black")
    assert.match(page.url(), /1k1Q4\/1r6\/2K5\/8\/8\/8\/8\/8_b_/)
    await page.goBack()
    await verdict(page, "White to move wins")
    assert.equal(await fen(page), before, "back in the history")
    await page.keyboard.press("ArrowRight")
    await page.waitForSelector("#line [aria-current=step]")
    await page.keyboard.press("End")
    await verdict(page, "checkmated")
    await page.click("#pgn")
    await page.waitForSelector("text=The PGN is copied")
    const pgn = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(pgn, /\[FEN "1k6\/1r6\/2K5\/Q7\/8\/8\/8\/8 w - - 0 1"\]\s[^]*\n1\. Q\S+ [^]*# *1-0/)
    await page.keyboard.press("Home")
    await verdict(page, "White to move wins")
    await page.fill("#fen", "nonsense")
    await page.keyboard.press("Enter")
    await verdict(page, "No answer")
    await page.fill("#fen", "8/P6k/8/8/8/8/8/K7 w - - 0 1")
    await page.keyboard.press("Enter")
    await page.waitForSelector("text=a8=Q")
    await drag(page, "a7", "a8")
    await page.click("#promotion >> text=rook")
    await page.waitForFunction(() => document.getElementById("fen").value.startsWith("R7/7k"))
}

async function checkSetup() {
    const page = await open({}, position)
    await page.click("#setup")
    await page.click("text=Clear")
    for (const [piece, square] of [["White king", "e1"], ["Black king", "e8"], ["White queen", "d1"],
                                   ["White king", "f2"]]) {
        await page.click(`[aria-label="${piece}"]`)
        await page.click(`#board rect[data-square=${square}]`, {force: true})
    }
    await verdict(page, "White to move wins")
    await fenIs(page, /^4k3\/8\/8\/8\/8\/8\/5K2\/3Q4 w/, "a second king moves the first")
    await page.click("[aria-label='White king']") // chosen no more
    await page.click("[aria-label='Shift left']")
    await fenIs(page, /^3k4\/8\/8\/8\/8\/8\/4K3\/2Q5 w/)
    await page.click("text=Swap colours")
    await fenIs(page, /^3K4\/8\/8\/8\/8\/8\/4k3\/2q5 w/)
    await page.selectOption("#side", "b")
    await verdict(page, "Black to move wins (mate in 7, DTZ 13)") // KQvK has a table of distances to mate, too
    await checkAccess(page, "setup")
    await drag(page, "c1", "h5")
    await fenIs(page, /^3K4\/8\/8\/7q\/8\/8\/4k3\/8 b/, "a piece is dragged")
    await drag(page, "h5", null)
    await fenIs(page, /^3K4\/8\/8\/8\/8\/8\/4k3\/8 b/, "a piece is dragged off the board")
}

async function checkKeys() {
    const page = await open({}, position)
    const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key) }
    await verdict(page, "White to move wins")
    await page.focus("#board")
    await press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp")
    assert.equal(await page.textContent("#square"), "a5: White queen")
    await press("ArrowLeft", "Enter")
    assert.equal(await page.getAttribute("rect.picked", "data-square"), "a5", "the edge stops the cursor")
    await checkAccess(page, "keys")
    await press("Escape", "Enter", "ArrowUp", "ArrowUp", "Enter")
    await fenIs(page, /^1k6\/Qr6\/2K5\/8\/8\/8\/8\/8 b/)
    await verdict(page, "Black")
    await press("ArrowRight", "ArrowUp")
    assert.equal(await page.textContent("#square"), "b8: Black king")
    await page.click("#setup")
    await page.click("#flip")
    await page.focus("#board")
    await press("ArrowLeft", "ArrowDown") // White's left is Black's right
    assert.equal(await page.textContent("#square"), "c8: empty")
    await press("ArrowRight", "ArrowUp", "Delete")
    await fenIs(page, /^1k6\/Q7\/2K5\//, "a man is removed by a key")
    await press("Enter", "ArrowRight", "Enter", "ArrowUp", "ArrowLeft", "Enter")
    await fenIs(page, /^1k6\/8\/1QK5\//, "a man is moved by keys")
}

async function checkPhone() {
    const page = await open({...phone, colorScheme: "dark"}, position)
    await page.waitForSelector("#histogram svg")
    await checkAccess(page, "phone-dark")
    await page.tap("#board rect[data-square=a5]", {force: true})
    await page.tap("#board rect[data-square=d8]", {force: true})
    await verdict(page, "Black")
    await fenIs(page, /^1k1Q4/)
}

async function checkMaterial() {
    const page = await open({}, position)
    const has = (selector, text) => page.waitForFunction(([selector, text]) =>
        document.querySelector(selector).textContent.includes(text), [selector, text])
    await has("#material-name", "KQvKR")
    await has("#histogram-head", "White to move")
    await has("#totals", "win")
    assert.equal(await page.locator("#histogram rect.here").count(), 1, "the present distance is not marked")
    await has("#histogram .mark", "15")
    await has("#leads", "KQvK✓ present")
    await has("#longest", "White to move, win, DTZ 61")
    await checkAccess(page, "material")
    await has("#zugzwangs", "There are none")
    await page.click("#longest a >> nth=0")
    await verdict(page, "White to move wins (DTZ 61)")
    await page.goBack()
    await fenIs(page, /^1k6\/1r6\/2K5\/Q7/, "back from the longest win")
    await verdict(page, "White to move wins (DTZ 15)")
    await page.fill("#typed", "qd8")
    await page.keyboard.press("Enter")
    await fenIs(page, /^1k1Q4/, "a typed move")
    await has("#histogram-head", "Black to move")
    await page.fill("#typed", "e2e4")
    await page.keyboard.press("Enter")
    await has("#note", "e2e4 is not a move here")
    // The colours of the name are the other ones, and its tables are missing.
    await page.goto(`${url}/?fen=4k3/4p3/8/8/8/8/8/4K3_b_-_-_0_1`)
    await has("#histogram-head", "White (black on the board) to move")
    await has("#material-note", "swapped")
    await page.click("#zugzwangs summary")
    await checkAccess(page, "zugzwangs")
    await page.click("#zugzwangs a >> nth=0")
    await verdict(page, "White to move draws")
    await page.goto(`${url}/?fen=4k3/8/8/8/8/8/4P3/R3K3_w_-_-_0_1`)
    await has("#material-note", "There is no table")
    await has("#leads", "KRBvK✗ missing")
}

// The longest game, by the button that plays the best move.
async function checkDobutsuTable() {
    const page = await open({}, null)
    await page.goto(`${url}/dobutsu.html`)
    for (let plies = 78; plies > 0; plies--) {
        await verdict(page, `to move ${plies % 2 === 0 ? "loses" : "wins"} in ${plies} plies`)
        await page.click("text=Best move")
    }
    await verdict(page, "Gote has won")
    await page.click("#back")
    await verdict(page, "wins in 1 plies")
    await checkAccess(page, "dobutsu-table")
}

// The table takes long to build: one answer is written down here.
async function checkDobutsu() {
    const page = await open({}, null)
    await page.route("**/dobutsu?*", (route, request) => request.url().includes("S%2Fgle")
        ? route.fulfill({json: opening}) : route.fulfill({json: {...opening, moves: [
            {move: "Cb2xb3", outcome: "win", plies: 75, wins: false},
            {move: "Lb1-a2", outcome: "draw", wins: false}], outcome: "win", plies: 77}}))
    await page.goto(`${url}/dobutsu.html`)
    await verdict(page, "Sente to move loses in 78 plies")
    await checkAccess(page, "dobutsu")
    await page.click("[data-place=b3]")
    assert.equal(await page.locator("#animals .target").count(), 1)
    await page.click("[data-place=a2]") // not one of its moves
    await page.click("[data-place=b3]")
    await page.keyboard.press("Enter")
    await page.click("[data-place=b3]")
    await page.click("[data-place=b2]")
    await verdict(page, "Gote to move wins in 77 plies")
    assert.equal(await page.inputValue("#text"), "G/gle/-C-/---/ELG/C")
    await page.click("text=Best move")
    await page.click("#back")
    assert.equal(await page.inputValue("#text"), "G/gle/-C-/---/ELG/C")
    await page.click("#start")
    await verdict(page, "Sente to move")
    await page.fill("#text", "rubbish")
    await page.keyboard.press("Enter")
    await verdict(page, "No answer")
    const small = await open({...phone, colorScheme: "dark"}, null)
    await small.route("**/dobutsu?*", route => route.fulfill({json: opening}))
    await small.goto(`${url}/dobutsu.html?position=S/gle/---/-C-/ELG/c`)
    await verdict(small, "Sente")
    await checkAccess(small, "dobutsu-phone-dark")
    const setup = await open(phone, position)
    await setup.tap("#setup")
    await checkAccess(setup, "setup-phone")
}

async function checkBuild() {
    const page = await open({colorScheme: "dark"}, null)
    await page.goto(`${url}/build.html`)
    await page.waitForSelector("text=The build has not begun.")
    appendFileSync(events, '{"event": "done", "table": "KQvK", "number": 1, "tables": 2, "solve_seconds": 0.037, ' +
        '"write_seconds": 0.1, "bytes": 7164}\n{"event": "ply", "table": "KQvKR", "number": 2, "tables": 2, ' +
        '"ply": 7, "share": 0.4, "seconds": 1.25}\n{"event": "en')
    await page.waitForSelector("text=Table 2 of 2")
    assert.equal(await page.textContent("tbody"), "KQvKRsolving71.3KQvKmade0.17,164")
    await checkAccess(page, "build-dark")
    appendFileSync(events, 'd", "status": "ok", "made": 2, "present": 0}\n')
    await page.waitForSelector("text=Ended (ok). 2 made")
}

const checks = only === "dobutsu" ? [checkDobutsuTable] :
    [checkMoves, checkMaterial, checkDobutsu, checkBuild, checkSetup, checkKeys, checkPhone]
try {
    for (const check of checks)
        await check()
    assert.deepEqual(faults, [])
} finally {
    await browser.close()
    server.removeAllListeners("exit")
    server.kill("SIGTERM")
}
