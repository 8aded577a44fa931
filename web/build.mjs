// build.mjs [FOLDER] - bundles the page: `npm ci && npm run build` writes dist/, which is checked in (docs/serve.md)
//
// Not minified: a change of the bundle can be read like one of its sources.
import {readFileSync, writeFileSync} from "node:fs"
import {build} from "esbuild"
import {sprite} from "./src/pieces.mjs"

const folder = process.argv[2] ?? "dist"
const licence = name => `${name}:\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`
const notice = `/*! This file contains cm-chessboard and chess.js.\n\n${licence("cm-chessboard")}\n${licence("chess.js")}*/`

const common = {
    outdir: folder, bundle: true, define: {"import.meta.url": "undefined"}, format: "iife", target: "es2020", charset: "utf8", legalComments: "none"
}

await build({
    entryPoints: {page: "src/main.js"}, ...common, banner: {js: notice}
})
const others = ["dobutsu", "build", "endgames", "frame", "site"]
await build({entryPoints: Object.fromEntries(others.map(name => [name, `src/${name}.js`])), ...common})
await build({entryPoints: {page: "src/page.css"}, outdir: folder, bundle: true,
    banner: {css: "/* This file contains cm-chessboard's; its licence (MIT) is in page.js. */"}})
writeFileSync(`${folder}/pieces.svg`, sprite())
