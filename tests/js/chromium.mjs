// chromium.mjs CLTB TABLES PACKAGE WEB COUNT - the npm package in Chromium, from a URL: it says what the command says,
// also of servers that misbehave
import assert from "node:assert/strict"
import {existsSync, readFileSync} from "node:fs"
import {pathToFileURL} from "node:url"
import {checkServers, fen} from "./hostile.mjs"
import {generator, materialsOf, probe, randomFen} from "./positions.mjs"
import {serve} from "./server.mjs"

const [cltb, folder, packed, web, count] = process.argv.slice(2)
const {chromium} = await import(pathToFileURL(`${web}/node_modules/playwright-core/index.mjs`))
const random = generator(2)
const materials = materialsOf(folder).filter(name => !name.includes("P") || name === "KPvK")
const fens = Array.from({length: Number(count)}, () => randomFen(materials[random(materials.length)], random))
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(path => existsSync(path))
const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]})
const server = await serve({"/tables/": folder, "/package/": packed})
const page = await browser.newPage()
await page.goto(`${server.url}/package/package.json`)

// The lines of `cltb probe --format tsv`
const lines = await page.evaluate(async fens => {
    const {open} = await import("/package/cltb.js")
    const tables = await open("/tables/")
    const lines = []
    for (const fen of fens)
        lines.push(await tables.probe(fen).then(({outcome, dtz}) => `${fen}\t${outcome}\t${dtz ?? ""}`,
            fault => `${fen}\terror: ${fault.message}\t`))
    return lines
}, fens)
assert.deepEqual(lines, probe(cltb, folder, "tsv", fens))
console.log(`${fens.length} positions in Chromium: as cltb probe`)

// A browser keeps what it has fetched, but not when the table has changed.
let name = "KQvK.cltb"
const changing = await serve({"/": folder}, (_, {right}) => ({headers: {...right.headers,
    "Cache-Control": "max-age=3600", "ETag": `"${name}"`, ...(name === "KQvK.cltb" ? {} : {
        "Content-Range": `bytes 0-${other.length - 1}/${other.length}`, "Content-Length": other.length})},
    bytes: name === "KQvK.cltb" ? right.bytes : other}))
const other = readFileSync(`${folder}/KRvK.cltb`)
const queen = () => page.evaluate(async url => {
    const {open} = await import("/package/cltb.js")
    return (await open(url)).probe("8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1").then(({outcome}) => outcome, fault => fault.message)
}, `${changing.url}/`)
assert.equal(await queen(), "win")
assert.equal(await queen(), "win")
name = "KRvK.cltb"
assert.equal(await queen(), "tables/KQvK.cltb: holds the table KRvK, so the file was renamed")
await changing.close()

// Pages of other origins: `run` comes from the server of the package
const run = url => page.evaluate(async ([url, fen]) => {
    const {open} = await import("/package/cltb.js")
    const tables = await open(url, {timeout: 1000})
    return tables.probe(fen).catch(fault => ({code: fault.code, message: fault.message}))
}, [url, fen])
const [answer] = await page.evaluate(async fen => {
    const {open} = await import("/package/cltb.js")
    return [await (await open("/tables/")).probe(fen)]
}, fen)
console.log(`${await checkServers(folder, run, answer)} servers that misbehave`)
await browser.close()
await server.close()
