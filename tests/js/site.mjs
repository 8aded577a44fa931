// site.mjs CLTB TABLES SITE INSIDE WEB - the pages that `cltb site` wrote, in Chromium: from a static server, and from
// a folder without one; servers without ranges, damaged tables
import assert from "node:assert/strict"
import {spawn} from "node:child_process"
import {existsSync, readFileSync} from "node:fs"
import {pathToFileURL} from "node:url"
import {generator, materialsOf, randomFen} from "./positions.mjs"
import {serve} from "./server.mjs"

const [cltb, tables, site, inside, web] = process.argv.slice(2)
const {chromium} = await import(pathToFileURL(`${web}/node_modules/playwright-core/index.mjs`))
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(path => existsSync(path))
const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]})
const position = "1k6/1r6/2K5/Q7/8/8/8/8_w_-_-_0_1"
const faults = []

const dynamic = spawn(cltb, ["serve", "--dir", tables, "--listen", "127.0.0.1:0"],
    {stdio: ["ignore", "pipe", "inherit"]})
process.on("exit", () => dynamic.kill())
const dynamicUrl = await new Promise((resolve, reject) => {
    dynamic.stdout.on("data", line => resolve(String(line).match(/http:\S+/)[0]))
    dynamic.on("exit", () => reject(new Error("cltb serve has ended")))
})

async function open(url) {
    const page = await browser.newPage()
    page.setDefaultTimeout(20000)
    page.on("console", message => message.type() === "error" && faults.push(`${url}: ${message.text()}`))
    page.on("pageerror", error => faults.push(`${url}: ${error.message}`))
    page.on("request", request => request.url().startsWith(new URL("/", url).href) ||
        request.url().startsWith("data:") || faults.push(`a request to ${request.url()}`))
    await page.goto(url)
    return page
}

const text = (page, selector) => page.locator(selector).textContent()
const says = (page, selector, wanted) => page.waitForFunction(([selector, wanted]) =>
    document.querySelector(selector)?.textContent.includes(wanted), [selector, wanted])
    .catch(async () => assert.fail(`${selector}: '${await text(page, selector)}', not '${wanted}'`))

// What the page asks for: the status and the answer
const ask = (page, path) => page.evaluate(async path => {
    const response = await globalThis.cltbSite(path)
    return {status: response.status, text: await response.text()}
}, path)

// What a visitor sees
async function checkPages(start) {
    const page = await open(`${start}?fen=${position}`)
    await says(page, "#verdict", "White to move wins (DTZ 15)")
    assert.equal(await page.locator("#moves button").count(), 24)
    assert.equal(await text(page, "#version"), JSON.parse(readFileSync(`${site}/about.json`, "utf8")).version)
    await says(page, "#material-name", "KQvKR")
    await page.waitForSelector("#histograms .histogram")
    assert(await page.locator("#longest li").count() > 0)
    assert(await page.locator(".pieces use").count() === 4)
    await page.click("#best")
    await page.waitForSelector("#line li:nth-child(15)")
    await page.click("#verdict .term")
    await says(page, "#explanation", "DTZ")
    await page.click("#explanation button")
    await page.locator("nav a", {hasText: "Endgames"}).click()
    await says(page, "#list", "KQvKR")
    assert.equal(await page.locator("nav a", {hasText: /Dobutsu|Build/}).count(), 0)
    await page.locator("#list a", {hasText: "KQvKR"}).first().click()
    await says(page, "#verdict", "DTZ")
    await page.close()
}

// What the server says, the site says
async function checkAnswers(start, count) {
    const page = await open(`${start}?fen=${position}`)
    const random = generator(4)
    const materials = materialsOf(tables)
    const paths = ["endgames", "stats/KQvKR.json", "standard?fen=8", "standard/mainline?fen=8"]
    for (let i = 0; i < count; i++) {
        const fen = encodeURIComponent(randomFen(materials[random(materials.length)], random))
        paths.push(`standard?fen=${fen}`, `standard/mainline?fen=${fen}`)
    }
    for (const path of paths) {
        const response = await fetch(`${dynamicUrl}/${path}`)
        const wanted = await response.text()
        const answer = await ask(page, path)
        assert.equal(answer.status, response.status, `${path}: ${answer.text}`)
        if (response.ok)
            assert.deepEqual(JSON.parse(answer.text), JSON.parse(wanted), path)
        else if (!path.includes("mainline") || response.status !== 404) // that server does not name its folder
            assert.equal(answer.text.trim(), wanted.trim(), path)
    }
    await page.close()
}

const server = await serve({"/a/site/": site})
await checkPages(`${server.url}/a/site/`)
await checkAnswers(`${server.url}/a/site/`, 20)
await server.close()
await checkPages(`${pathToFileURL(inside)}/index.html`)
await checkAnswers(`${pathToFileURL(inside)}/index.html`, 20)
assert.deepEqual(faults, [])

// Tables that cannot be read: the page says why, and tries again when asked to
async function checkSpoiled(spoil, sentence) {
    let well = false
    const spoiled = await serve({"/": site}, (name, args) => name === "KQvKR.cltb" && !well ? spoil(args) : {})
    const page = await open(`${spoiled.url}/?fen=${position}`)
    await says(page, "#note", sentence)
    assert.equal(await text(page, "#verdict"), "No answer")
    assert.equal(await page.locator("#moves button").count(), 0)
    well = true
    await page.locator("#remedy button").click()
    await says(page, "#verdict", "White to move wins (DTZ 15)")
    await page.close()
    await spoiled.close()
}
await checkSpoiled(({right}) => ({status: 200, headers: {"Content-Length": 1 << 24}, bytes: right.bytes, cut: true}),
    "ignores HTTP range requests")
await checkSpoiled(() => ({status: 500}), "500")
await checkSpoiled(({right}) => ({bytes: right.bytes.map((byte, i) => i > 9999 ? byte ^ 8 : byte)}), "is damaged")
await browser.close()
console.log("the site says what the server says")
dynamic.kill()
