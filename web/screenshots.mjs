// screenshots.mjs CLTB TABLES OUTPUT - a picture of the page: Philidor's position, a man picked up (tools/screenshots.sh)
import {spawn} from "node:child_process"
import {existsSync} from "node:fs"
import {chromium} from "playwright-core"

const [cltb, tables, output] = process.argv.slice(2)
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(path => existsSync(path))
const server = spawn(cltb, ["serve", "--dir", tables, "--listen", "127.0.0.1:0"], {stdio: ["ignore", "pipe", "inherit"]})
const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", line => resolve(String(line).match(/http:\S+/)[0]))
    server.on("exit", () => reject(new Error("cltb serve has ended")))
})
const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]})
try {
    const page = await browser.newPage({viewport: {width: 1120, height: 1010}, colorScheme: "light"})
    await page.goto(`${url}/?fen=1k6/1r6/2K5/Q7/8/8/8/8_w_-_-_0_1`)
    await page.waitForSelector("#counts svg")
    await page.click("#board rect[data-square=a5]", {force: true})
    await page.hover("#moves ul button")
    await page.waitForTimeout(500) // men that glide
    await page.screenshot({path: output})
} finally {
    await browser.close()
    server.removeAllListeners("exit")
    server.kill("SIGTERM")
}
