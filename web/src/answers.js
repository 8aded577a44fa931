// answers.js - where answers come from: `cltb serve`, or the reader of a page without a server (site.js)
export const get = path => globalThis.cltbSite?.(path) ?? fetch(path)
