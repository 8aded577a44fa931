// test.mjs CLTB TABLES PICTURES [dobutsu] - the pages in Chromium: moves, set-up, links, keys, statistics, dobutsu, a
// build, endgames,
// examples, help; on a desk and on a phone, in light and dark, with axe-core's rules. Screenshots go to the folder PICTURES.
// With "dobutsu": only that page, with the table of the game; with "checkKeys": only that function.
import {spawn, spawnSync} from "node:child_process"
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
    await verdict(page, "Not a position")
    await page.fill("#fen", "8/P6k/8/8/8/8/8/K7 w - - 0 1")
    await page.keyboard.press("Enter")
    await page.waitForSelector("text=a8=Q")
    await drag(page, "a7", "a8")
    await page.click("#promotion [aria-label=rook]")
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

// Marks of the last move, the picked man and its squares for pointers, an arrow for a move of the list; no cursor
// until a key is pressed.
async function checkMarks() {
    const page = await open({}, position)
    const marked = (selector, name) => page.$$eval(selector, (all, key) => all.map(one => one.dataset[key]).sort(), name)
    const click = square => page.click(`#board rect[data-square=${square}]`, {force: true})
    await click("c6")
    assert.deepEqual(await marked("rect.picked", "square"), ["c6"])
    assert.deepEqual(await marked(".target", "target"), ["c5", "d5", "d6"])
    assert.equal(await page.locator("rect.cursor").count(), 0, "a cursor without keys")
    await click("a5")
    assert.deepEqual(await marked("rect.picked", "square"), ["a5"])
    await click("d8")
    await fenIs(page, /^1k1Q4/)
    assert.deepEqual(await marked("rect.last", "square"), ["a5", "d8"])
    assert.equal(await page.locator(".target, rect.picked").count(), 0)
    await page.click("#flip")
    await page.waitForTimeout(600)
    assert.deepEqual(await marked("rect.last", "square"), ["a5", "d8"], "the board turned")
    await verdict(page, "Black")
    for (const act of ["hover", "focus"]) {
        await page[act]("#moves ul button >> nth=0")
        assert.equal(await page.locator("polygon.arrow[data-arrow=b8a7]").count(), 1, act)
        await (act === "hover" ? page.hover("h2") : page.focus("#fen"))
        assert.equal(await page.locator("polygon.arrow").count(), 0)
    }
    await page.focus("#board")
    await page.keyboard.press("ArrowUp")
    assert.equal(await page.locator("rect.cursor").count(), 1)
    const touch = await open(phone, position)
    await touch.tap("#board rect[data-square=c6]", {force: true})
    assert.equal(await touch.locator(".target").count(), 3)
}

// `cltb probe` and the page give a move the same number.
async function checkNumbers() {
    const page = await open({}, position)
    for (const one of [position.replaceAll("_", " "), "8/7B/8/8/8/8/8/1KBkn3 w - - 0 1", "8/P6k/8/8/8/8/8/K7 w - - 0 1",
        "1k1Q4/1r6/2K5/8/8/8/8/8 b - - 0 1", "8/8/8/1B6/8/8/8/1KBk2n1 b - - 0 1", "8/8/8/8/8/2k5/p7/K7 w - - 0 1"]) {
        const probe = spawnSync(cltb, ["probe", "--format", "json", "--dir", tables, one], {encoding: "utf8"})
        const [answer] = JSON.parse(probe.stdout)
        const expected = answer.moves.map(({san, mate, dtz}) => [san, mate ? "mate" : dtz === null ? "" : `DTZ ${dtz}`])
        await page.fill("#fen", one)
        await page.keyboard.press("Enter")
        await page.waitForFunction(wanted => [...document.querySelectorAll("#moves ul button")]
            .map(made => made.firstChild.textContent).sort().join() === wanted, expected.map(([san]) => san).sort().join())
        if (answer.dtz !== null)
            await verdict(page, `DTZ ${answer.dtz}`)
        const shown = await page.$$eval("#moves ul button", all => all.map(made =>
            [made.firstChild.textContent, made.querySelector("small").textContent.replace(/^mated? in \d+, /, "")
                .replace("stalemate", "")]))
        assert.deepEqual(shown.sort(), expected.sort(), one)
    }
}

const boxes = (page, ...selectors) => Promise.all(selectors.map(selector => page.locator(selector).first().boundingBox()))

async function checkSizes() {
    for (const [width, height] of [[390, 844], [320, 700]]) {
        const page = await open({viewport: {width, height}, isMobile: true, hasTouch: true}, position)
        const [board, says, move, controls, line] = await boxes(page, "#board", "#verdict", "#moves ul button",
            "#move", ".steps")
        assert.ok(board.y + board.height <= says.y && says.y + says.height <= move.y && move.y < controls.y,
            `order on a phone of ${width} pixels`)
        assert.ok(move.y + move.height <= line.y && line.y + line.height <= height, "the first move is not in sight")
        await checkAccess(page, `phone-${width}`)
    }
}

async function checkWords() {
    const page = await open({}, "8/7B/8/8/8/8/8/1KBkn3_w_-_-_2_1")
    await verdict(page, "White to move wins too late for the 50-move rule (DTZ 99, 2 + 99 > 100)")
    await page.focus("#verdict button >> nth=1")
    await page.keyboard.press("Enter")
    await page.waitForSelector("#explanation >> text=distance to zeroing")
    await checkAccess(page, "explanation")
    await page.keyboard.press("Escape")
    for (const [press, found] of [["#verdict button >> nth=0", "blessed loss"], ["#verdict button >> nth=2", "95 + 11"],
        ["[data-term=clock]", "95 + 11"]]) {
        await page.click(press)
        await page.waitForSelector(`#explanation >> text=${found}`)
        await page.click("#explanation >> text=Close")
    }
    await page.fill("#clock", "0")
    await page.keyboard.press("Enter")
    await verdict(page, "White to move wins (DTZ 99)")
    await fenIs(page, / w - - 0 1$/)
    // Cursed wins in the statistics, which are there at once.
    await page.waitForSelector("#counts:visible")
    assert.ok(await page.isHidden("#ask"))
    const [white, black] = await page.$$eval("table.totals", all => all.map(one => one.textContent))
    assert.match(white, /cursed wins31,000,26410.1 %/)
    assert.match(black, /blessed losses61,322,704/)
    assert.ok(await page.locator("rect.cursed").count() > 10 && await page.locator("rect.blessed").count() > 10)
    const [mark, svg] = await boxes(page, "rect.here", ".histogram svg")
    assert.ok(mark.x < svg.x + .8 * svg.width, "99 of 132 stands at the right edge")
    const text = await page.textContent("body")
    assert.ok(!text.includes("undefined") && text.includes("logarithmic"))
    assert.match(await page.textContent("#zugzwangs"), /wins too late for the 50-move rule, Black to move loses: 644/)
    await checkAccess(page, "cursed")
    await page.goto(`${url}/help.html`)
    await page.waitForFunction(version => document.getElementById("version").textContent === version,
        spawnSync(cltb, ["--version"], {encoding: "utf8"}).stdout.trim().split(" ")[1])
    await checkAccess(page, "help")
}

async function checkEndgames() {
    for (const options of [{}, {...phone, colorScheme: "dark"}]) {
        const page = await open(options, null)
        await page.goto(`${url}/endgames.html`)
        await page.waitForSelector("#list >> text=KBBvKN")
        assert.match(await page.textContent("#list h2 >> nth=0"), /^3 men 5 of 5 tables, complete/)
        await checkAccess(page, options.colorScheme === undefined ? "endgames" : "endgames-phone-dark")
        const label = await page.getAttribute("li:has-text('KBBvKN') svg >> nth=0", "aria-label")
        assert.equal(label, "White to move: 38.1 % wins, 10.1 % cursed wins, 51.8 % draws, < 0.1 % losses")
        await page.fill("#typed", "kbb")
        assert.equal(await page.locator("#list li").count(), 2)
        await page.fill("#typed", "vkr")
        assert.deepEqual(await page.$$eval("#list li > a", all => all.map(one => one.textContent)), ["KQvKR"])
        await page.click("text=DTZ 62")
        await verdict(page, "Black to move loses (DTZ 62)")
    }
}

// The first view has examples; those without a table say so.
async function checkExamples() {
    const page = await open({}, null)
    await page.goto(`${url}/`)
    await verdict(page, "White to move wins (mate in 10, DTZ 15)").catch(() => verdict(page, "wins (DTZ 15)"))
    await page.waitForSelector("li:has-text('Lucena') >> text=no table here")
    await checkAccess(page, "examples")
    await page.click("text=Two bishops")
    await verdict(page, "too late for the 50-move rule (DTZ 131)")
    assert.ok(await page.isHidden("#examples"))
}

// Faults in plain words.
async function checkFaults() {
    const page = await open({}, position)
    const say = async (text, words) => {
        await page.fill("#fen", text)
        await page.keyboard.press("Enter")
        await page.waitForFunction(wanted => document.querySelector("main").textContent.includes(wanted), words)
    }
    await say("1k6/1Q6/2K5/8/8/8/8/8 w - - 0 1", "Black is in check, but White is to move.")
    await page.click("#remedy >> text=Black to move")
    await verdict(page, "Black")
    await say("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "There is no table of so many men here")
    assert.ok(await page.isHidden("#leads-part"))
    await say("8/8/8/8/8/2k5/4P3/R3K3 w - - 0 1", "cltb build KRPvK")
    await page.click("text=KRvK✓ present")
    await verdict(page, "Black to move loses")
    // The choice of a promotion can be left.
    await say("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q")
    await drag(page, "a7", "a8")
    await page.waitForSelector("#promotion svg")
    await checkAccess(page, "promotion")
    await page.click("#promotion >> text=Cancel")
    await fenIs(page, /^8\/P6k/)
    await page.click("text=a8=Q")
    await page.keyboard.press("ArrowRight")
    await page.waitForFunction(() => /^1\.a8=QK\w\d2\./.test(document.getElementById("line").textContent))
    // A PGN without a clipboard, and as a file.
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", {value: undefined}))
    await page.click("#pgn")
    assert.match(await page.inputValue("#explanation textarea"), /1\. a8=Q/)
    await page.click("#explanation >> text=Close")
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#save")])
    assert.match(readFileSync(await file.path(), "utf8"), /1\. a8=Q/)
    await page.route("**/standard?*", route => route.abort())
    await page.fill("#clock", "7")
    await page.keyboard.press("Enter")
    await page.waitForSelector("text=The server does not answer")
    await page.unroute("**/standard?*")
    await page.click("#remedy >> text=Try again")
    await page.waitForSelector("#moves ul button")
    // The browser tells of the illegal position and of the server, too.
    assert.deepEqual(faults.splice(0).filter(one => !/ERR_FAILED|400/.test(one)), [])
}

async function checkPhone() {
    const page = await open({...phone, colorScheme: "dark"}, position)
    await page.waitForSelector("#histograms svg")
    await checkAccess(page, "phone-dark")
    await page.tap("#board rect[data-square=a5]", {force: true})
    await page.tap("#board rect[data-square=d8]", {force: true})
    await verdict(page, "Black")
    await fenIs(page, /^1k1Q4/)
}

async function checkMaterial() {
    const page = await open({}, position)
    const has = (selector, text) => page.waitForFunction(([selector, text]) =>
        document.querySelector(selector)?.textContent.includes(text), [selector, text])
    await has("#material-name", "KQvKR")
    await has("#histograms h3", "White to move")
    await has(".totals", "win")
    assert.equal(await page.locator("#histograms rect.here").count(), 1, "the present distance is not marked")
    await has("#histograms .mark", "15")
    await has("#leads", "KQvK✓ present")
    await has("#longest", "White to move wins, DTZ 61")
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
    await has("#histograms h3", "Black to move")
    await page.fill("#typed", "e2e4")
    await page.keyboard.press("Enter")
    await has("#note", "e2e4 is not a move here")
    // The colours of the name are the other ones, and its tables are missing.
    await page.goto(`${url}/?fen=4k3/4p3/8/8/8/8/8/4K3_b_-_-_0_1`)
    await has("#histograms h3", "White (black on the board) to move")
    await has("#material-note", "swapped")
    await page.click("#zugzwangs summary")
    await checkAccess(page, "zugzwangs")
    await page.click("#zugzwangs a >> nth=0")
    await verdict(page, "White to move draws")
    await page.goto(`${url}/?fen=4k3/8/8/8/8/8/4P3/R3K3_w_-_-_0_1`)
    await has("#material-note", "There is no table of KRPvK here")
    await has("#leads", "KRBvK✗ missing")
}

// The longest game, by the button that plays the best move.
async function checkDobutsuTable() {
    const page = await open({}, null)
    await page.goto(`${url}/dobutsu.html`)
    for (let plies = 78; plies > 0; plies--) {
        await verdict(page, `to move ${plies % 2 === 0 ? "loses" : "wins"} in ${plies} move`)
        await page.click("text=Best move")
    }
    await verdict(page, "Gote has won")
    await page.click("#back")
    await verdict(page, "wins in 1 move")
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
    await verdict(page, "Sente to move loses in 78 moves")
    await checkAccess(page, "dobutsu")
    await page.click("[data-place=b3]")
    assert.equal(await page.locator("#animals .target").count(), 1)
    await page.click("#flip")
    const [near, far] = await boxes(page, "[data-place=b2]", "[data-place=b3]")
    assert.ok(near.y > far.y, "the board is not turned")
    assert.equal(await page.textContent("#near"), "Gote’s hand: empty")
    await page.click("#flip")
    await page.click("[data-place=a2]") // not one of its moves
    await page.click("[data-place=b3]")
    await page.keyboard.press("Enter")
    await page.click("[data-place=b3]")
    await page.click("[data-place=b2]")
    await verdict(page, "Gote to move wins in 77 moves")
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
        '"ply": 7, "share": 0.4, "seconds": 1.25, "seconds_left": 75.2}\n{"event": "en')
    await page.waitForSelector("text=Table 2 of 2")
    assert.equal(await page.textContent("tbody"), "KQvKRsolving71.3KQvKmade0.17,164")
    assert.equal(await page.textContent("#total"), "Made10.17,164")
    assert.equal(await page.textContent("#rest"), "About 1 min 15 s left")
    await checkAccess(page, "build-dark")
    appendFileSync(events, 'd", "status": "ok", "made": 2, "present": 0, "bytes": 8000, "seconds": 3.4}\n')
    await page.waitForSelector("text=Ended (ok). 2 made")
    await page.waitForSelector("text=3 s, 8,000 bytes")
    await page.waitForSelector("nav >> text=Build")
}

const checks = only === "dobutsu" ? [checkDobutsuTable] :
    [checkMoves, checkMaterial, checkDobutsu, checkBuild, checkSetup, checkKeys, checkPhone,
        checkMarks, checkNumbers, checkSizes, checkWords, checkEndgames, checkExamples]
const chosen = [...checks, checkFaults].filter(({name}) => !/^check/.test(only) || name === only)
try {
    // Two at a time; the last one leaves faults of its own.
    const work = async () => {
        for (let check = chosen[0]; check !== undefined && check !== checkFaults; check = chosen[0]) {
            chosen.shift()
            await check()
        }
    }
    await Promise.all([work(), work()])
    if (chosen[0] === checkFaults && only !== "dobutsu")
        await checkFaults()
    assert.deepEqual(faults, [])
} finally {
    await browser.close()
    server.removeAllListeners("exit")
    server.kill("SIGTERM")
}
