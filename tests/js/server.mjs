// server.mjs - a static server for tests, which can be told to misbehave
import {createServer} from "node:http"
import {closeSync, fstatSync, openSync, readSync, statSync} from "node:fs"

const types = {html: "text/html", js: "text/javascript", mjs: "text/javascript", css: "text/css", svg: "image/svg+xml",
    json: "application/json", wasm: "application/wasm"}

// Serves `folders`: {"/path/": folder}. spoil(name, from, to, size), if given, may return {status, headers, bytes,
// endless}, which take the place of what is right.
export async function serve(folders, spoil) {
    const log = []
    const server = createServer((request, response) => {
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
        const range = request.headers.range?.match(/^bytes=(\d+)-(\d+)$/)?.map(Number)
        const from = range === undefined ? 0 : range[1]
        const to = range === undefined ? status.size - 1 : Math.min(range[2], status.size - 1)
        const bytes = Buffer.alloc(Math.max(0, to - from + 1))
        const descriptor = openSync(file, "r")
        readSync(descriptor, bytes, 0, bytes.length, from)
        closeSync(descriptor)
        const right = {
            status: range === undefined ? 200 : 206,
            headers: {
                "Content-Type": types[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
                "Content-Length": bytes.length,
                "ETag": `"${status.mtimeMs}-${status.size}"`,
                ...(range === undefined ? {} : {"Content-Range": `bytes ${from}-${to}/${status.size}`})
            },
            bytes
        }
        const answer = {...right, ...(spoil?.(path.slice(path.lastIndexOf("/") + 1), from, to, right) ?? {})}
        log.push({path, status: answer.status, from, bytes: answer.bytes.length})
        response.on("error", () => {})
        response.writeHead(answer.status, answer.headers)
        if (answer.silent)
            return
        response.write(answer.bytes)
        if (answer.endless) {
            const timer = setInterval(() => response.write(Buffer.alloc(1024)), 5)
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
