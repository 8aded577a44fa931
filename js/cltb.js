// cltb.js - reads cltb's tables in browsers and Node, by cltb.wasm
//
// The reader is cltb's own, in C, and reads files at once. Bytes that are not here yet it cannot wait for, so:
//
//     1. A call runs the reader, which asks for pieces of files (host/util/os_wasm.c). Those that are not here are
//        noted, and the run comes to nothing.
//     2. The noted pieces are fetched, adjacent ones together.
//     3. The reader runs again, until nothing is noted; what it has decoded it keeps.
//
// What a server sends is not trusted: lengths and places are compared with what was asked for, the reader compares
// checksums, and waiting has an end.

const PIECE = 1024          // most blocks of a table are of about this size
const FIRST = 65536         // of a file; most tables of 3 and 4 men are not much larger
const RANGES_MAX = 64       // in one request
const TIMEOUTS = 10         // the longest that an answer may take
const GAP = 16384           // a request takes as long as so many bytes
const READ_MAX = 64 << 20   // at once; the largest is a table's head
const MISSING = -1, LATER = -2

const codes = {
    "-1": "usage", "-2": "memory", "-3": "io", "-4": "corrupt", "-5": "missing", "-7": "position", "-10": "foreign"}

export class CltbError extends Error {
    constructor(code, message, options) {
        super(message, options)
        this.name = "CltbError"
        this.code = code
    }
}

const io = (message, cause) => new CltbError("io", message, {cause})

// ---- files of which all bytes are here ----

// copy(to, offset) copies as many bytes as there are, and returns their number.
function bytesFile(bytes) {
    const all = bytes instanceof Uint8Array ? bytes
        : ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : new Uint8Array(bytes)
    return {
        size: all.length,
        copy(to, offset) {
            const part = all.subarray(offset, offset + to.length)
            to.set(part)
            return part.length
        }
    }
}

// ---- files of which pieces are fetched ----

// read([{offset, length}...]) gives a promise of the bytes of each.
class PiecedFile {
    constructor(size, read, cache) {
        this.size = size
        this.read = read
        this.cache = cache
        this.pieces = new Map()
    }

    put(offset, bytes) {
        for (let at = 0; at < bytes.length; at += PIECE) {
            const number = (offset + at) / PIECE
            this.cache.bytes += PIECE
            this.pieces.set(number, bytes.subarray(at, at + PIECE))
        }
    }

    // The pieces of these bytes that are not here.
    missing(offset, length) {
        const list = []
        for (let number = Math.floor(offset / PIECE); number * PIECE < Math.min(offset + length, this.size); number++)
            if (!(this.pieces.get(number) instanceof Uint8Array))
                list.push(number)
        return list
    }

    copy(to, offset) {
        const length = Math.max(0, Math.min(to.length, this.size - offset))
        for (let at = 0; at < length;) {
            const place = offset + at
            const piece = this.pieces.get(Math.floor(place / PIECE))
            const part = piece.subarray(place % PIECE, place % PIECE + length - at)
            to.set(part, at)
            at += part.length
        }
        return length
    }

    // Fetches pieces, adjacent ones together; those that are on their way already it waits for.
    fetch(numbers) {
        const waits = new Set()
        const wanted = [...new Set(numbers)].sort((a, b) => a - b).filter(number => {
            const piece = this.pieces.get(number)
            if (piece instanceof Promise)
                waits.add(piece)
            return piece === undefined
        })
        const runs = []
        for (const number of wanted) {
            const offset = number * PIECE
            const length = Math.min(this.size - offset, PIECE)
            const last = runs.at(-1)
            if (last !== undefined && last.offset + last.length === offset)
                last.length += length
            else
                runs.push({offset, length})
        }
        if (runs.length > 0) {
            const wait = this.read(runs).then(list => list.forEach((bytes, i) => this.put(runs[i].offset, bytes)))
                .catch(fault => {
                    wanted.forEach(number => this.pieces.delete(number))
                    throw fault
                })
            wanted.forEach(number => this.pieces.set(number, wait))
            waits.add(wait)
        }
        return Promise.all(waits)
    }
}

// ---- folders at a URL ----

// The bytes of an answer, which must be `length`; null: at most `most`.
async function bodyOf(response, length, where, alive, most = length) {
    const bytes = new Uint8Array(most)
    const reader = response.body.getReader()
    let at = 0
    for (;;) {
        const {done, value} = await reader.read()
        alive()
        if (done)
            break
        if (value.length > most - at)
            throw io(`${where}: the server sends more than the ${most} bytes that were asked for`)
        bytes.set(value, at)
        at += value.length
    }
    if (length !== null && at !== length)
        throw io(`${where}: the server has sent ${at} of ${length} bytes`)
    return bytes.subarray(0, at)
}

class UrlFolder {
    constructor(url, options, cache) {
        this.url = url.href.endsWith("/") ? url.href : `${url.href}/`
        this.timeout = options.timeout ?? 30000
        this.whole = options.whole ?? 1 << 20
        this.list = options.list === undefined ? undefined : new Set(options.list)
        this.cache = cache
        this.severally = true // Does the server answer several ranges at once?
        this.requests = 0
        this.received = 0
    }

    mayHave(name) {
        return this.list?.has(name) ?? name.endsWith(".cltb")
    }

    // use(response, alive) within the timeout, which begins anew with each call of alive(), but not for ever. Does not
    // rely on fetch() and streams to end when they are told to: Node's may not if an answer cannot be decompressed.
    async request(where, headers, use, cache = "default") {
        const abort = new AbortController()
        const last = Date.now() + TIMEOUTS * this.timeout
        let timer
        let alive
        const silence = new Promise((_, reject) => {
            const late = io(`${where}: the server is silent, or sends too slowly`)
            alive = () => {
                clearTimeout(timer)
                timer = setTimeout(() => reject(late), Math.min(this.timeout, Math.max(0, last - Date.now())))
            }
        })
        alive()
        this.requests++
        const work = fetch(where, {headers, cache, signal: abort.signal}).then(response => use(response, alive))
        work.catch(() => {}) // if it ends after the silence
        try {
            return await Promise.race([work, silence])
        } catch (fault) {
            throw fault instanceof CltbError ? fault : io(`${where}: ${fault.cause?.message ?? fault.message}`, fault)
        } finally {
            clearTimeout(timer)
            abort.abort()
        }
    }

    // Fetches bytes from `offset` on, at most `length`. If `size` is undefined, the file may be shorter, or missing:
    // null.
    range(where, offset, length, size, version) {
        const headers = {Range: `bytes=${offset}-${offset + length - 1}`, "Accept-Encoding": "identity"}
        return this.request(where, headers, async (response, alive) => {
            const first = size === undefined
            if (first && (response.status === 404 || response.status === 410))
                return null
            if (first && response.status === 416) // an empty file
                return {bytes: new Uint8Array(0), size: 0}
            if (response.status === 200)
                return {bytes: await this.wholeBody(response, where, alive, size)}
            if (response.status !== 206)
                throw io(`${where}: the server answers ${response.status} ${response.statusText}`)
            const text = response.headers.get("Content-Range") ?? ""
            const [, from, to, all] = text.match(/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/)?.map(Number) ?? []
            const last = Math.min(offset + length, first ? all : size) - 1
            if (!first && all !== undefined && all !== size)
                throw io(`${where} has changed on the server: it has ${all} bytes, not ${size}; open the tables again`)
            if (from !== offset || to !== last)
                throw io(`${where}: the server was asked for bytes ${offset} to ${offset + length - 1} and sends ` +
                    `'${text}'`)
            const seen = response.headers.get("ETag") ?? response.headers.get("Last-Modified")
            if (!first && seen !== version)
                throw io(`${where} has changed on the server; open the tables again`)
            const bytes = await bodyOf(response, last + 1 - offset, where, alive)
            this.received += bytes.length
            return {bytes, size: all, version: seen}
        }, size === undefined ? "no-cache" : "default") // a browser may remember an older table
    }

    // Several ranges by one request. What deviates from the standard in any way gives null: then each is asked for by
    // itself, with all checks.
    several(where, runs, size, version) {
        const ranges = runs.map(({offset, length}) => `${offset}-${offset + length - 1}`)
        const headers = {Range: `bytes=${ranges}`, "Accept-Encoding": "identity"}
        return this.request(where, headers, async (response, alive) => {
            const [, boundary] = response.headers.get("Content-Type")
                ?.match(/^multipart\/byteranges; *boundary="?([^" ;]{1,70})"?$/) ?? []
            const seen = response.headers.get("ETag") ?? response.headers.get("Last-Modified")
            if (response.status !== 206 || boundary === undefined || seen !== version)
                return null
            const most = runs.reduce((sum, run) => sum + run.length + 500, 500)
            const bytes = await bodyOf(response, null, where, alive, most)
            this.received += bytes.length
            const list = []
            let at = 0
            for (let i = 0; i < runs.length; i++) {
                const head = new TextDecoder("latin1").decode(bytes.subarray(at, at + 500))
                const end = head.indexOf("\r\n\r\n", 2)
                const {offset, length} = runs[i]
                if (end < 0 || !head.trimStart().startsWith(`--${boundary}\r\n`) ||
                    head.slice(0, end).match(/\r\nContent-Range: *(.*)/i)?.[1] !== `bytes ${ranges[i]}/${size}`)
                    return null
                list.push(bytes.subarray(at + end + 4, at += end + 4 + length))
            }
            const tail = new TextDecoder("latin1").decode(bytes.subarray(at))
            return tail.startsWith(`\r\n--${boundary}--`) ? list : null
        }).catch(() => null)
    }

    // The bytes of each run.
    async runs(where, runs, size, version) {
        const several = this.severally && runs.length > 1
        if (several) {
            const groups = Array.from({length: Math.ceil(runs.length / RANGES_MAX)}, (_, i) =>
                runs.slice(i * RANGES_MAX, (i + 1) * RANGES_MAX))
            const lists = await Promise.all(groups.map(group => group.length === 1
                ? this.range(where, group[0].offset, group[0].length, size, version).then(({bytes}) => [bytes])
                : this.several(where, group, size, version)))
            if (!lists.includes(null))
                return lists.flat()
            this.severally = false
        }
        const merged = []
        for (const {offset, length} of runs) {
            const last = merged.at(-1)
            if (last !== undefined && last.offset + last.length + GAP >= offset)
                last.length = offset + length - last.offset
            else
                merged.push({offset, length})
        }
        await Promise.all(merged.map(async all => {
            all.bytes = (await this.range(where, all.offset, all.length, size, version)).bytes
        }))
        return runs.map(({offset, length}) => {
            const all = merged.findLast(all => all.offset <= offset)
            return all.bytes.subarray(offset - all.offset, offset - all.offset + length)
        })
    }

    // Of a server that does not answer ranges: of a small file all bytes.
    async wholeBody(response, where, alive, size) {
        const length = Number(response.headers.get("Content-Length") ?? NaN)
        if (size !== undefined || !(length <= this.whole) || response.headers.get("Content-Encoding"))
            throw io(`${where}: the server sends whole files only (it ignores HTTP range requests, which tables ` +
                "need); nginx, Apache and most other servers answer them, python3 -m http.server does not")
        const bytes = await bodyOf(response, length, where, alive)
        this.received += bytes.length
        return bytes
    }

    async open(name) {
        const where = this.url + encodeURIComponent(name)
        const start = await this.range(where, 0, FIRST)
        if (start === null)
            return null
        if (start.size === undefined)
            return bytesFile(start.bytes)
        const file = new PiecedFile(start.size, runs => this.runs(where, runs, start.size, start.version), this.cache)
        file.put(0, start.bytes)
        return file
    }
}

// ---- files of the user, buffers, folders of Node ----

class NamedFiles {
    constructor(files, cache) {
        this.files = files
        this.cache = cache
    }

    mayHave(name) {
        return this.files.has(name)
    }

    async open(name) {
        const file = this.files.get(name)
        if (typeof Blob === "undefined" || !(file instanceof Blob))
            return bytesFile(file)
        return new PiecedFile(file.size, runs => Promise.all(runs.map(async ({offset, length}) => {
            const part = await file.slice(offset, offset + length).arrayBuffer().catch(fault => {
                throw io(`${name} cannot be read: ${fault.message}`, fault)
            })
            if (part.byteLength !== length)
                throw io(`${name} has changed; open the tables again`)
            return new Uint8Array(part)
        })), this.cache)
    }
}

class NodeFolder {
    constructor(fs, folder) {
        this.fs = fs
        this.folder = folder
        this.descriptors = []
    }

    mayHave(name) {
        return this.fs.existsSync(`${this.folder}/${name}`)
    }

    async open(name) {
        const path = `${this.folder}/${name}`
        try {
            const descriptor = this.fs.openSync(path, "r")
            this.descriptors.push(descriptor)
            return {
                size: this.fs.fstatSync(descriptor).size,
                copy: (to, offset) => this.fs.readSync(descriptor, to, 0, to.length, offset)
            }
        } catch (fault) {
            if (fault.code === "ENOENT")
                return null
            throw io(`cannot open ${path}: ${fault.message}`, fault)
        }
    }

    close() {
        this.descriptors.splice(0).forEach(descriptor => this.fs.closeSync(descriptor))
    }
}

// Bundlers for browsers do not look into this.
const nodeModule = name => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`)
const isNode = typeof process !== "undefined" && process.versions?.node !== undefined

async function folderOf(from, options, cache) {
    if (from instanceof Map || (typeof from === "object" && Object.getPrototypeOf(from) === Object.prototype))
        return new NamedFiles(from instanceof Map ? from : new Map(Object.entries(from)), cache)
    if (typeof from === "string" || from instanceof URL) {
        let url = from instanceof URL ? from : null
        if (url === null && (!isNode || /^[a-z]+:\/\//i.test(from)))
            url = new URL(from, globalThis.document?.baseURI ?? globalThis.location?.href)
        if (url !== null && (url.protocol !== "file:" || !isNode))
            return new UrlFolder(url, options, cache)
        const {fileURLToPath} = await nodeModule("url")
        return new NodeFolder(await nodeModule("fs"), url === null ? from : fileURLToPath(url))
    }
    return new NamedFiles(new Map([...from].map(file => [file.name, file])), cache)
}

// ---- the reader ----

async function moduleOf(wasm) {
    if (wasm instanceof WebAssembly.Module)
        return wasm
    if (ArrayBuffer.isView(wasm) || wasm instanceof ArrayBuffer)
        return WebAssembly.compile(wasm)
    const url = wasm === undefined ? new URL("cltb.wasm", import.meta.url) // which bundlers understand
        : new URL(wasm, globalThis.document?.baseURI ?? import.meta.url)
    if (isNode && url.protocol === "file:")
        return WebAssembly.compile((await nodeModule("fs")).readFileSync(url))
    const response = await fetch(url)
    if (!response.ok)
        throw io(`${url}: the server answers ${response.status} ${response.statusText}`)
    return WebAssembly.compile(await response.arrayBuffer())
}

let ownModule

export async function open(from, options = {}) {
    const wasm = options.wasm !== undefined ? moduleOf(options.wasm) : ownModule ??= moduleOf()
    const module = await wasm.catch(fault => {
        ownModule = undefined
        throw fault
    })
    const cache = {bytes: 0, most: options.cache ?? 64 << 20}
    const tables = new Tables(await folderOf(from, options, cache), cache)
    tables.start(await WebAssembly.instantiate(module, tables.imports()))
    return tables
}

class Tables {
    #folder
    #cache
    #files = []          // by number
    #names = new Map()   // name: number, or MISSING
    #opening = new Map() // name: promise
    #notes = null        // of the run under way
    #wasm
    #running = 0
    #ended = null        // why no more calls are possible

    constructor(folder, cache) {
        this.#folder = folder
        this.#cache = cache
    }

    imports() {
        return {
            cltb: {
                open: (path, look) => this.#openFile(this.#textAt(path), look),
                size: number => this.#files[number].size,
                read: (number, to, count, offset) => this.#read(this.#files[number], to, count, offset),
                noted: () => this.#notes.names.size + this.#notes.pieces.size
            },
            env: {emscripten_notify_memory_growth() {}},
            wasi_snapshot_preview1: {
                clock_time_get: () => 0, environ_sizes_get: () => 0, environ_get: () => 0, fd_fdstat_get: () => 0,
                fd_write: () => 0
            }
        }
    }

    start(instance) {
        this.#wasm = instance.exports
        this.#wasm._initialize()
    }

    // ---- called by the reader ----

    #bytes() {
        return new Uint8Array(this.#wasm.memory.buffer)
    }

    #textAt(at) {
        const bytes = this.#bytes()
        return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)))
    }

    #openFile(path, look) {
        const name = path.slice(path.lastIndexOf("/") + 1)
        const number = this.#names.get(name) ?? (this.#folder.mayHave(name) ? LATER : MISSING)
        if (number !== LATER)
            return number
        if (!look)
            this.#notes.names.add(name)
        return look ? 0 : LATER
    }

    #read(file, to, count, offset) {
        const missing = file.missing?.(offset, count) ?? []
        if (count > READ_MAX)
            throw new CltbError("corrupt", `a table wants to be read by ${count} bytes at a time`)
        if (missing.length === 0)
            return file.copy(this.#bytes().subarray(to, to + count), offset)
        const noted = this.#notes.pieces.get(file) ?? []
        this.#notes.pieces.set(file, noted.concat(missing))
        return LATER
    }

    // ---- calls ----

    #open(name) {
        let promise = this.#opening.get(name)
        if (promise === undefined) {
            promise = this.#folder.open(name).then(file => {
                this.#names.set(name, file === null ? MISSING : this.#files.push(file) - 1)
            }).finally(() => this.#opening.delete(name))
            this.#opening.set(name, promise)
        }
        return promise
    }

    // Forgets all pieces: the reader has decoded what it needed.
    #tidy() {
        if (this.#cache.bytes <= this.#cache.most || this.#running > 0)
            return
        this.#files.forEach(file => file.pieces?.clear())
        this.#cache.bytes = 0
    }

    // One run; undefined if bytes were noted.
    #run(name, fen) {
        if (this.#ended !== null)
            throw this.#ended
        const notes = this.#notes = {names: new Set(), pieces: new Map()}
        let code
        try {
            const text = new TextEncoder().encode(`${fen}\0`)
            const at = this.#wasm.room(text.length)
            this.#bytes().set(text, at)
            code = this.#wasm[name]()
        } catch (fault) {
            // The reader was stopped on its way, so it cannot be used any more.
            this.#ended = fault instanceof CltbError ? fault
                : new CltbError("memory", `the reader has failed: ${fault.message}`, {cause: fault})
            throw this.#ended
        }
        if (notes.names.size + notes.pieces.size > 0)
            return {notes}
        const answer = this.#textAt(this.#wasm.text())
        if (code < 0)
            throw new CltbError(codes[code] ?? String(code), answer)
        return {answer}
    }

    async #call(name, fen) {
        if (typeof fen !== "string" || fen.includes("\0"))
            throw new CltbError("usage", "a position is a FEN")
        this.#running++
        try {
            for (;;) {
                const {answer, notes} = this.#run(name, fen)
                if (answer !== undefined)
                    return JSON.parse(answer)
                await Promise.all([...[...notes.names].map(name => this.#open(name)),
                    ...[...notes.pieces].map(([file, pieces]) => file.fetch(pieces))])
            }
        } finally {
            this.#running--
            this.#tidy()
        }
    }

    probe(fen) {
        return this.#call("value", fen)
    }

    mate(fen) {
        return this.#call("mate", fen)
    }

    moves(fen) {
        return this.#call("moves", fen)
    }

    analyse(fen) {
        return this.#call("all", fen)
    }

    standard(fen) {
        return this.#call("standard", fen)
    }

    mainline(fen) {
        return this.#call("mainline", fen)
    }

    get traffic() {
        return {requests: this.#folder.requests ?? 0, bytes: this.#folder.received ?? 0}
    }

    close() {
        this.#ended = new CltbError("usage", "these tables have been closed")
        this.#folder.close?.()
        this.#files.forEach(file => file.pieces?.clear())
        this.#wasm = null
    }
}
