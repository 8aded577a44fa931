// server.mjs - a static server for tests, which can be told to misbehave
import {createServer} from "node:http"
import {closeSync, openSync, readSync, statSync} from "node:fs"

const types = {html: "text/html", js: "text/javascript", mjs: "text/javascript", css: "text/css", svg: "image/svg+xml",
    json: "application/json", wasm: "application/wasm"}

const origins = {
    "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Range",
    "Access-Control-Expose-Headers": "Content-Range, ETag"
}

function partOf(file, from, to) {
    const bytes = Buffer.alloc(Math.max(0, to - from + 1))
    const descriptor = openSync(file, "r")
    readSync(descriptor, bytes, 0, bytes.length, from)
    closeSync(descriptor)
    return bytes
}

// Serves `folders`: {"/path/": folder}. spoil(name, {ranges, from, right}), if given, returns what takes the place of
// the `right` answer: status, headers, bytes; and whether it is `silent`, `endless`, `drips`, `hangs` or is `cut` off.
export async function serve(folders, spoil) {
    const log = []
    const server = createServer((request, response) => {
        for (const [name, value] of Object.entries(origins))
            response.setHeader(name, value)
        if (request.method === "OPTIONS") {
            response.writeHead(204).end()
            return
        }
        const path = decodeURIComponent(new URL(request.url, "http://x").pathname)
        const [prefix, folder] = Object.entries(folders).filter(([prefix]) => path.startsWith(prefix))
            .sort((a, b) => b[0].length - a[0].length)[0] ?? []
        let file = prefix === undefined || path.includes("..") ? undefined : `${folder}/${path.slice(prefix.length)}`
        if (file?.endsWith("/"))
            file += "index.html"
        const status = file === undefined ? undefined : statSync(file, {throwIfNoEntry: false})
        if (status === undefined || !status.isFile()) {
            log.push({path, status: 404, bytes: 0})
            response.writeHead(404).end("not found")
            return
        }
        const ranges = request.headers.range?.match(/^bytes=([-\d,]+)$/)?.[1].split(",").map(text => {
            const [from, to] = text.split("-").map(Number)
            return {from, to: Math.min(to, status.size - 1)}
        }) ?? [{from: 0, to: status.size - 1}]
        const {from} = ranges[0]
        const parts = ranges.map(range => ({
            bytes: partOf(file, range.from, range.to), header: `bytes ${range.from}-${range.to}/${status.size}`}))
        const several = parts.flatMap(({bytes, header}) =>
            [Buffer.from(`\r\n--BOUNDARY\r\nContent-Type: a/b\r\nContent-Range: ${header}\r\n\r\n`), bytes])
        const bytes = parts.length === 1 ? parts[0].bytes
            : Buffer.concat([...several, Buffer.from("\r\n--BOUNDARY--\r\n")])
        const type = types[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream"
        const right = {
            status: request.headers.range === undefined ? 200 : 206,
            headers: {
                "Content-Type": parts.length === 1 ? type : "multipart/byteranges; boundary=BOUNDARY",
                "Content-Length": bytes.length,
                "ETag": `"${status.mtimeMs}-${status.size}"`,
                ...(request.headers.range === undefined || parts.length > 1 ? {} : {"Content-Range": parts[0].header})
            },
            bytes
        }
        const name = path.slice(path.lastIndexOf("/") + 1)
        const answer = {...right, ...(spoil?.(name, {ranges: ranges.length, from, right}) ?? {})}
        log.push({path, status: answer.status, ranges: ranges.length, from, bytes: answer.bytes.length})
        response.on("error", () => {})
        if (answer.silent)
            return
        response.writeHead(answer.status, answer.headers)
        response.write(answer.bytes)
        if (answer.endless) {
            const timer = setInterval(() => response.write(Buffer.alloc(1024)), 5)
            response.on("close", () => clearInterval(timer))
        } else if (answer.drips) {
            const timer = setInterval(() => response.write("x"), 100)
            response.on("close", () => clearInterval(timer))
        } else if (answer.hangs) {
            return
        } else if (answer.cut) {
            setTimeout(() => response.destroy(), 20)
        } else {
            response.end()
        }
    })
    await new Promise(resolve => server.listen(0, "127.0.0.1", resolve))
    return {
        url: `http://127.0.0.1:${server.address().port}`,
        log,
        close: () => new Promise(resolve => { server.closeAllConnections(); server.close(resolve) })
    }
}
