// test.mjs CLTB TABLES PACKAGE COUNT - the npm package in Node: it says what the command says, whatever it reads from
//
// Ends with the traffic of probes over HTTP.
import assert from "node:assert/strict"
import {File} from "node:buffer"
import {readdirSync, readFileSync} from "node:fs"
import {pathToFileURL} from "node:url"
import {gzipSync} from "node:zlib"
import {generator, materialsOf, probe, randomFen} from "./positions.mjs"
import {checkServers, fen} from "./hostile.mjs"
import {serve} from "./server.mjs"

const [cltb, folder, packed, count] = process.argv.slice(2)
const {open, CltbError} = await import(pathToFileURL(`${packed}/cltb.js`))
const wasm = readFileSync(`${packed}/cltb.wasm`)
const random = generator(1)
// With all tables that their captures and promotions lead to
const materials = materialsOf(folder).filter(name => !name.includes("P") || name === "KPvK")
const fens = Array.from({length: Number(count)}, () => randomFen(materials[random(materials.length)], random))
const passing = ["8/8/8/8/1pP5/8/1k6/3K4 b - c3 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"]
const fails = (promise, code, text) => assert.rejects(promise, fault =>
    fault instanceof CltbError && fault.code === code && fault.message.includes(text) ||
    assert.fail(`${fault.code}: ${fault.message}, not ${code}: ${text}`))

function checkModule() {
    const module = new WebAssembly.Module(wasm)
    const names = new Set(WebAssembly.Module.imports(module).map(({module, name}) => `${module}.${name}`))
    for (const name of names) // otherwise a function of C is missing
        assert(/^(cltb\.(open|size|read|noted)|env\.emscripten_notify_memory_growth|wasi_snapshot_preview1\.\w+)$/
            .test(name), name)
    const bytes = gzipSync(Buffer.concat([wasm, readFileSync(`${packed}/cltb.js`)]), {level: 9}).length
    assert(bytes <= 150000, `${bytes} bytes compressed`)
    console.log(`cltb.wasm and cltb.js: ${bytes} bytes compressed`)
}

// Outcome and DTZ of every position, and what is wrong with those that are none
async function checkValues(tables) {
    const lines = probe(cltb, folder, "tsv", fens)
    let legal = 0
    assert.equal(lines.length, fens.length)
    for (let i = 0; i < fens.length; i++) {
        const line = await tables.probe(fens[i]).then(({outcome, dtz}) => `${fens[i]}\t${outcome}\t${dtz ?? ""}`,
            fault => fault.code === "position" ? `${fens[i]}\terror: ${fault.message}\t`
                : assert.fail(`${fens[i]}: ${fault.message}`))
        assert.equal(line, lines[i])
        legal += line.includes("\terror: ") ? 0 : 1
    }
    assert(legal > fens.length / 3, `${legal} of ${fens.length} are legal`)
    console.log(`${fens.length} positions, ${legal} of them legal: as cltb probe`)
}

// Everything about some positions
async function checkAnalyses(tables, number) {
    const some = [...passing, ...fens.slice(0, number)]
    const legal = []
    for (const fen of some)
        await tables.probe(fen).then(() => legal.push(fen), fault => assert.equal(fault.code, "position"))
    const analyses = probe(cltb, folder, "json", legal)
    for (let i = 0; i < legal.length; i++) {
        const analysis = await tables.analyse(legal[i])
        assert.deepEqual(analysis, analyses[i])
        assert.deepEqual(await tables.moves(legal[i]), analysis.moves)
        if (analysis.dtm !== undefined)
            assert.deepEqual((await tables.mate(legal[i])).dtm, analysis.dtm)
    }
    return legal
}

async function checkFaults(tables) {
    await fails(tables.probe("8/8/8"), "position", "FEN")
    await fails(tables.probe("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), "position", "castling")
    await fails(tables.probe("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"), "position", "men")
    await fails(tables.probe("1k6/8/8/8/8/8/8/1K1NNNN1 w - - 0 1"), "missing", "KNNNNvK.cltb")
    await fails(tables.probe("8\0"), "usage", "FEN")
    await fails(tables.probe(5), "usage", "FEN")
    const damaged = readFileSync(`${folder}/KQvK.cltb`)
    const queen = "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"
    const flips = [[0, "foreign", "not a table"], [8, "foreign", "version"], [100, "corrupt", "head"]]
    for (const [at, code, text] of flips) {
        const bytes = Buffer.from(damaged)
        bytes[at] ^= 16
        await fails((await open({"KQvK.cltb": bytes})).probe(queen), code, text)
    }
    await fails((await open({"KQvK.cltb": damaged.subarray(0, damaged.length >> 1)})).probe(queen), "corrupt", "bytes")
    const closed = await open({"KQvK.cltb": damaged})
    assert.equal((await closed.probe(queen)).outcome, "win")
    closed.close()
    await fails(closed.probe(queen), "usage", "closed")
}

checkModule()
const tables = await open(folder)
await checkValues(tables)
const legal = await checkAnalyses(tables, 40)
await checkFaults(tables)
tables.close()

// The same from bytes, from files of a browser, and over HTTP
const files = readdirSync(folder).filter(name => name.endsWith(".cltb"))
const bytes = Object.fromEntries(files.map(name => [name, readFileSync(`${folder}/${name}`)]))
const server = await serve({"/tables/": folder})
for (const from of [bytes, files.map(name => new File([bytes[name]], name)), `${server.url}/tables`]) {
    const others = await open(from, {wasm})
    await checkAnalyses(others, 8)
    const together = await Promise.all(legal.map(fen => others.probe(fen)))
    for (let i = 0; i < legal.length; i += 10)
        assert.deepEqual(together[i], await others.probe(legal[i]))
    others.close()
}
await server.close()

// Servers and tables that are not to be trusted
const bishops = await (await open(folder)).probe(fen)
const said = promise => promise.catch(fault => ({code: fault.code, message: fault.message}))
const servers = await checkServers(folder, async url => said((await open(url, {timeout: 1000})).probe(fen)), bishops)
const minor = "8/8/8/3k4/8/2n5/2B5/1K6 w - - 0 1"
const right = await (await open(bytes)).probe(minor)
for (let i = 0; i < 150; i++) {
    const spoiled = Buffer.from(bytes["KBvKN.cltb"])
    for (let flips = 1 + random(3); flips > 0; flips--)
        spoiled[random(spoiled.length)] ^= 1 << random(8)
    const result = await said((await open({...bytes, "KBvKN.cltb": spoiled})).probe(minor))
    assert(["corrupt", "foreign"].includes(result.code) || result.outcome === right.outcome, JSON.stringify(result))
}
console.log(`${servers} servers that misbehave`)
