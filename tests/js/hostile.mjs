// hostile.mjs - servers that misbehave, and what must come of it: one sentence, or the right answer; never a wrong one
//
// run(url) opens the tables at a URL, with a timeout of a second, and probes `fen`: {outcome, dtz}, or the {code,
// message} of what was thrown. `answer` is what is right.
import assert from "node:assert/strict"
import {serve} from "./server.mjs"

export const fen = "3K4/8/k7/8/N2b4/8/8/1b6 w - - 0 1" // KBBvKN: its distance takes many blocks

const table = "KBBvKN.cltb"
const header = (name, value) => ({right}) => ({headers: {...right.headers, [name]: value}})
const without = (...names) => ({right}) =>
    ({headers: Object.fromEntries(Object.entries(right.headers).filter(([name]) => !names.includes(name)))})
const plain = ({right}) => ({...without("Content-Length")({right})})

// What is spoiled: `first` is the first request for the table, `later` all others, `several` those for several ranges.
const cases = {
    "nothing": {first: () => ({silent: true}), says: "silent"},
    "nothing later": {later: () => ({silent: true}), says: "silent"},
    "half an answer": {first: ({right}) => ({hangs: true, bytes: right.bytes.subarray(0, 9)}), says: "silent"},
    "half an answer and the end": {later: ({right}) => ({cut: true, bytes: right.bytes.subarray(0, 9)}), says: table},
    "a byte at a time": {first: ({right}) => ({bytes: right.bytes.subarray(0, 9), drips: true}), says: "slowly"},
    "too few bytes": {
        later: args => ({...plain(args), bytes: args.right.bytes.subarray(0, 9)}), says: "has sent 9 of"},
    "too many bytes": {
        first: args => ({...plain(args), bytes: Buffer.concat([args.right.bytes, Buffer.alloc(5)])}), says: "more than",
        passes: true},
    "bytes without end": {first: args => ({...plain(args), endless: true}), says: "more than",
        passes: true},
    "bytes without end later": {later: args => ({...plain(args), endless: true}), says: "more than",
        passes: true},
    "other bytes than asked for": {first: header("Content-Range", "bytes 1-65536/8000000"), says: "was asked for"},
    "bytes of nowhere": {first: header("Content-Range", "bytes 0-99999999999999999/9"), says: "was asked for"},
    "no place": {first: without("Content-Range"), says: "was asked for"},
    "no place later": {later: without("Content-Range"), says: "was asked for"},
    "a table without end": {first: header("Content-Range", "bytes 0-65535/999999999999999"), says: "should have",
        code: "corrupt"},
    "another size later": {
        later: args => header("Content-Range", `${args.right.headers["Content-Range"]}0`)(args), says: "has changed"},
    "another version later": {later: header("ETag", "\"new\""), says: "has changed", passes: true},
    "no version later": {later: without("ETag"), says: "has changed", passes: true},
    "another content later": {later: ({right}) => ({bytes: right.bytes.map(byte => byte ^ 1)}), says: "is damaged",
        code: "corrupt"},
    "another table": {first: ({right}) => ({bytes: Buffer.alloc(right.bytes.length)}), says: "not a table",
        code: "foreign"},
    "an error": {first: () => ({status: 503}), says: "503"},
    "an error later": {later: () => ({status: 404}), says: "404"},
    "no table": {first: () => ({status: 404}), says: "no table", code: "missing"},
    "whole files": {first: ({right}) => ({status: 200, headers: {"Content-Length": right.bytes.length * 99},
        cut: true}), says: "ignores HTTP range requests"},
    "a whole file later": {later: () => ({status: 200}), says: "ignores HTTP range requests"},
    "what is not compressed": {first: header("Content-Encoding", "gzip"), says: table},
    "one range of several": {several: ({right}) => ({bytes: right.bytes.subarray(0, 999),
        headers: {"Content-Range": "bytes 0-998/8000000"}}), right: true},
    "a whole file for several ranges": {several: () => ({status: 200}), right: true},
    "several ranges without end": {several: args => ({...plain(args), endless: true}), right: true},
    "several ranges in another way": {several: ({right}) => ({bytes: right.bytes.reverse()}), right: true}
}

export async function checkServers(folder, run, answer) {
    for (const [name, {first, later, several, says, code = "io", right, passes}] of Object.entries(cases)) {
        const server = await serve({"/": folder}, (file, args) => file !== table ? {}
            : (args.ranges > 1 ? several ?? later : args.from === 0 ? first : later)?.(args) ?? {})
        const began = Date.now()
        const result = await run(`${server.url}/`)
        await server.close()
        if (right)
            assert.deepEqual(result, answer, name)
        else // a browser notices some faults before we do, or mends them: `passes`
            assert((passes && JSON.stringify(result) === JSON.stringify(answer)) ||
                (result.code === code && (result.message.includes(says) ||
                    result.message === `${server.url}/${table}: network error`)),
                `${name}: ${JSON.stringify(result)}, not '${says}'`)
        assert(Date.now() - began < 20000, `${name} takes ${Date.now() - began} ms`)
    }
    return Object.keys(cases).length
}
