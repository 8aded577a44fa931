(() => {
  var __typeError = (msg) => {
    throw TypeError(msg);
  };
  var __accessCheck = (obj, member, msg) => member.has(obj) || __typeError("Cannot " + msg);
  var __privateGet = (obj, member, getter) => (__accessCheck(obj, member, "read from private field"), getter ? getter.call(obj) : member.get(obj));
  var __privateAdd = (obj, member, value) => member.has(obj) ? __typeError("Cannot add the same private member more than once") : member instanceof WeakSet ? member.add(obj) : member.set(obj, value);
  var __privateSet = (obj, member, value, setter) => (__accessCheck(obj, member, "write to private field"), setter ? setter.call(obj, value) : member.set(obj, value), value);
  var __privateMethod = (obj, member, method) => (__accessCheck(obj, member, "access private method"), method);
  var __privateWrapper = (obj, member, setter, getter) => ({
    set _(value) {
      __privateSet(obj, member, value, setter);
    },
    get _() {
      return __privateGet(obj, member, getter);
    }
  });

  // ../js/cltb.js
  var PIECE = 1024;
  var FIRST = 65536;
  var RANGES_MAX = 64;
  var TIMEOUTS = 10;
  var GAP = 16384;
  var READ_MAX = 64 << 20;
  var MISSING = -1;
  var LATER = -2;
  var codes = {
    "-1": "usage",
    "-2": "memory",
    "-3": "io",
    "-4": "corrupt",
    "-5": "missing",
    "-7": "position",
    "-10": "foreign"
  };
  var CltbError = class extends Error {
    constructor(code, message, options) {
      super(message, options);
      this.name = "CltbError";
      this.code = code;
    }
  };
  var io = (message, cause) => new CltbError("io", message, { cause });
  function bytesFile(bytes) {
    const all = bytes instanceof Uint8Array ? bytes : ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
    return {
      size: all.length,
      copy(to, offset) {
        const part = all.subarray(offset, offset + to.length);
        to.set(part);
        return part.length;
      }
    };
  }
  var PiecedFile = class {
    constructor(size, read, cache) {
      this.size = size;
      this.read = read;
      this.cache = cache;
      this.pieces = /* @__PURE__ */ new Map();
    }
    put(offset, bytes) {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const number = (offset + at) / PIECE;
        this.cache.bytes += PIECE;
        this.pieces.set(number, bytes.subarray(at, at + PIECE));
      }
    }
    // The pieces of these bytes that are not here.
    missing(offset, length) {
      const list = [];
      for (let number = Math.floor(offset / PIECE); number * PIECE < Math.min(offset + length, this.size); number++)
        if (!(this.pieces.get(number) instanceof Uint8Array))
          list.push(number);
      return list;
    }
    copy(to, offset) {
      const length = Math.max(0, Math.min(to.length, this.size - offset));
      for (let at = 0; at < length; ) {
        const place = offset + at;
        const piece = this.pieces.get(Math.floor(place / PIECE));
        const part = piece.subarray(place % PIECE, place % PIECE + length - at);
        to.set(part, at);
        at += part.length;
      }
      return length;
    }
    // Fetches pieces, adjacent ones together; those that are on their way already it waits for.
    fetch(numbers) {
      const waits = /* @__PURE__ */ new Set();
      const wanted = [...new Set(numbers)].sort((a, b) => a - b).filter((number) => {
        const piece = this.pieces.get(number);
        if (piece instanceof Promise)
          waits.add(piece);
        return piece === void 0;
      });
      const runs = [];
      for (const number of wanted) {
        const offset = number * PIECE;
        const length = Math.min(this.size - offset, PIECE);
        const last = runs.at(-1);
        if (last !== void 0 && last.offset + last.length === offset)
          last.length += length;
        else
          runs.push({ offset, length });
      }
      if (runs.length > 0) {
        const wait = this.read(runs).then((list) => list.forEach((bytes, i) => this.put(runs[i].offset, bytes))).catch((fault) => {
          wanted.forEach((number) => this.pieces.delete(number));
          throw fault;
        });
        wanted.forEach((number) => this.pieces.set(number, wait));
        waits.add(wait);
      }
      return Promise.all(waits);
    }
  };
  async function bodyOf(response, length, where, alive, most = length) {
    const bytes = new Uint8Array(most);
    const reader = response.body.getReader();
    let at = 0;
    for (; ; ) {
      const { done, value } = await reader.read();
      alive();
      if (done)
        break;
      if (value.length > most - at)
        throw io(`${where}: the server sends more than the ${most} bytes that were asked for`);
      bytes.set(value, at);
      at += value.length;
    }
    if (length !== null && at !== length)
      throw io(`${where}: the server has sent ${at} of ${length} bytes`);
    return bytes.subarray(0, at);
  }
  var UrlFolder = class {
    constructor(url, options, cache) {
      this.url = url.href.endsWith("/") ? url.href : `${url.href}/`;
      this.timeout = options.timeout ?? 3e4;
      this.whole = options.whole ?? 1 << 20;
      this.list = options.list === void 0 ? void 0 : new Set(options.list);
      this.cache = cache;
      this.severally = true;
      this.requests = 0;
      this.received = 0;
    }
    mayHave(name) {
      return this.list?.has(name) ?? name.endsWith(".cltb");
    }
    // use(response, alive) within the timeout, which begins anew with each call of alive(), but not for ever. Does not
    // rely on fetch() and streams to end when they are told to: Node's may not if an answer cannot be decompressed.
    async request(where, headers, use, cache = "default") {
      const abort = new AbortController();
      const last = Date.now() + TIMEOUTS * this.timeout;
      let timer;
      let alive;
      const silence = new Promise((_, reject) => {
        const late = io(`${where}: the server is silent, or sends too slowly`);
        alive = () => {
          clearTimeout(timer);
          timer = setTimeout(() => reject(late), Math.min(this.timeout, Math.max(0, last - Date.now())));
        };
      });
      alive();
      this.requests++;
      const work = fetch(where, { headers, cache, signal: abort.signal }).then((response) => use(response, alive));
      work.catch(() => {
      });
      try {
        return await Promise.race([work, silence]);
      } catch (fault) {
        throw fault instanceof CltbError ? fault : io(`${where}: ${fault.cause?.message ?? fault.message}`, fault);
      } finally {
        clearTimeout(timer);
        abort.abort();
      }
    }
    // Fetches bytes from `offset` on, at most `length`. If `size` is undefined, the file may be shorter, or missing:
    // null.
    range(where, offset, length, size, version) {
      const headers = { Range: `bytes=${offset}-${offset + length - 1}`, "Accept-Encoding": "identity" };
      return this.request(where, headers, async (response, alive) => {
        const first = size === void 0;
        if (first && (response.status === 404 || response.status === 410))
          return null;
        if (first && response.status === 416)
          return { bytes: new Uint8Array(0), size: 0 };
        if (response.status === 200)
          return { bytes: await this.wholeBody(response, where, alive, size) };
        if (response.status !== 206)
          throw io(`${where}: the server answers ${response.status} ${response.statusText}`);
        const text = response.headers.get("Content-Range") ?? "";
        const [, from, to, all] = text.match(/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/)?.map(Number) ?? [];
        const last = Math.min(offset + length, first ? all : size) - 1;
        if (!first && all !== void 0 && all !== size)
          throw io(`${where} has changed on the server: it has ${all} bytes, not ${size}; open the tables again`);
        if (from !== offset || to !== last)
          throw io(`${where}: the server was asked for bytes ${offset} to ${offset + length - 1} and sends '${text}'`);
        const seen = response.headers.get("ETag") ?? response.headers.get("Last-Modified");
        if (!first && seen !== version)
          throw io(`${where} has changed on the server; open the tables again`);
        const bytes = await bodyOf(response, last + 1 - offset, where, alive);
        this.received += bytes.length;
        return { bytes, size: all, version: seen };
      }, size === void 0 ? "no-cache" : "default");
    }
    // Several ranges by one request. What deviates from the standard in any way gives null: then each is asked for by
    // itself, with all checks.
    several(where, runs, size, version) {
      const ranges = runs.map(({ offset, length }) => `${offset}-${offset + length - 1}`);
      const headers = { Range: `bytes=${ranges}`, "Accept-Encoding": "identity" };
      return this.request(where, headers, async (response, alive) => {
        const [, boundary] = response.headers.get("Content-Type")?.match(/^multipart\/byteranges; *boundary="?([^" ;]{1,70})"?$/) ?? [];
        const seen = response.headers.get("ETag") ?? response.headers.get("Last-Modified");
        if (response.status !== 206 || boundary === void 0 || seen !== version)
          return null;
        const most = runs.reduce((sum, run) => sum + run.length + 500, 500);
        const bytes = await bodyOf(response, null, where, alive, most);
        this.received += bytes.length;
        const list = [];
        let at = 0;
        for (let i = 0; i < runs.length; i++) {
          const head = new TextDecoder("latin1").decode(bytes.subarray(at, at + 500));
          const end = head.indexOf("\r\n\r\n", 2);
          const { offset, length } = runs[i];
          if (end < 0 || !head.trimStart().startsWith(`--${boundary}\r
`) || head.slice(0, end).match(/\r\nContent-Range: *(.*)/i)?.[1] !== `bytes ${ranges[i]}/${size}`)
            return null;
          list.push(bytes.subarray(at + end + 4, at += end + 4 + length));
        }
        const tail = new TextDecoder("latin1").decode(bytes.subarray(at));
        return tail.startsWith(`\r
--${boundary}--`) ? list : null;
      }).catch(() => null);
    }
    // The bytes of each run.
    async runs(where, runs, size, version) {
      const several = this.severally && runs.length > 1;
      if (several) {
        const groups = Array.from({ length: Math.ceil(runs.length / RANGES_MAX) }, (_, i) => runs.slice(i * RANGES_MAX, (i + 1) * RANGES_MAX));
        const lists = await Promise.all(groups.map((group) => group.length === 1 ? this.range(where, group[0].offset, group[0].length, size, version).then(({ bytes }) => [bytes]) : this.several(where, group, size, version)));
        if (!lists.includes(null))
          return lists.flat();
        this.severally = false;
      }
      const merged = [];
      for (const { offset, length } of runs) {
        const last = merged.at(-1);
        if (last !== void 0 && last.offset + last.length + GAP >= offset)
          last.length = offset + length - last.offset;
        else
          merged.push({ offset, length });
      }
      await Promise.all(merged.map(async (all) => {
        all.bytes = (await this.range(where, all.offset, all.length, size, version)).bytes;
      }));
      return runs.map(({ offset, length }) => {
        const all = merged.findLast((all2) => all2.offset <= offset);
        return all.bytes.subarray(offset - all.offset, offset - all.offset + length);
      });
    }
    // Of a server that does not answer ranges: of a small file all bytes.
    async wholeBody(response, where, alive, size) {
      const length = Number(response.headers.get("Content-Length") ?? NaN);
      if (size !== void 0 || !(length <= this.whole) || response.headers.get("Content-Encoding"))
        throw io(`${where}: the server sends whole files only (it ignores HTTP range requests, which tables need); nginx, Apache and most other servers answer them, python3 -m http.server does not`);
      const bytes = await bodyOf(response, length, where, alive);
      this.received += bytes.length;
      return bytes;
    }
    async open(name) {
      const where = this.url + encodeURIComponent(name);
      const start = await this.range(where, 0, FIRST);
      if (start === null)
        return null;
      if (start.size === void 0)
        return bytesFile(start.bytes);
      const file2 = new PiecedFile(start.size, (runs) => this.runs(where, runs, start.size, start.version), this.cache);
      file2.put(0, start.bytes);
      return file2;
    }
  };
  var NamedFiles = class {
    constructor(files, cache) {
      this.files = files;
      this.cache = cache;
    }
    mayHave(name) {
      return this.files.has(name);
    }
    async open(name) {
      const file2 = this.files.get(name);
      if (typeof Blob === "undefined" || !(file2 instanceof Blob))
        return bytesFile(file2);
      return new PiecedFile(file2.size, (runs) => Promise.all(runs.map(async ({ offset, length }) => {
        const part = await file2.slice(offset, offset + length).arrayBuffer().catch((fault) => {
          throw io(`${name} cannot be read: ${fault.message}`, fault);
        });
        if (part.byteLength !== length)
          throw io(`${name} has changed; open the tables again`);
        return new Uint8Array(part);
      })), this.cache);
    }
  };
  var NodeFolder = class {
    constructor(fs, folder) {
      this.fs = fs;
      this.folder = folder;
      this.descriptors = [];
    }
    mayHave(name) {
      return this.fs.existsSync(`${this.folder}/${name}`);
    }
    async open(name) {
      const path = `${this.folder}/${name}`;
      try {
        const descriptor = this.fs.openSync(path, "r");
        this.descriptors.push(descriptor);
        return {
          size: this.fs.fstatSync(descriptor).size,
          copy: (to, offset) => this.fs.readSync(descriptor, to, 0, to.length, offset)
        };
      } catch (fault) {
        if (fault.code === "ENOENT")
          return null;
        throw io(`cannot open ${path}: ${fault.message}`, fault);
      }
    }
    close() {
      this.descriptors.splice(0).forEach((descriptor) => this.fs.closeSync(descriptor));
    }
  };
  var nodeModule = (name) => import(
    /* webpackIgnore: true */
    /* @vite-ignore */
    `node:${name}`
  );
  var isNode = typeof process !== "undefined" && process.versions?.node !== void 0;
  async function folderOf(from, options, cache) {
    if (from instanceof Map || typeof from === "object" && Object.getPrototypeOf(from) === Object.prototype)
      return new NamedFiles(from instanceof Map ? from : new Map(Object.entries(from)), cache);
    if (typeof from === "string" || from instanceof URL) {
      let url = from instanceof URL ? from : null;
      if (url === null && (!isNode || /^[a-z]+:\/\//i.test(from)))
        url = new URL(from, globalThis.document?.baseURI ?? globalThis.location?.href);
      if (url !== null && (url.protocol !== "file:" || !isNode))
        return new UrlFolder(url, options, cache);
      const { fileURLToPath } = await nodeModule("url");
      return new NodeFolder(await nodeModule("fs"), url === null ? from : fileURLToPath(url));
    }
    return new NamedFiles(new Map([...from].map((file2) => [file2.name, file2])), cache);
  }
  async function moduleOf(wasm) {
    if (wasm instanceof WebAssembly.Module)
      return wasm;
    if (ArrayBuffer.isView(wasm) || wasm instanceof ArrayBuffer)
      return WebAssembly.compile(wasm);
    const url = wasm === void 0 ? new URL("cltb.wasm", void 0) : new URL(wasm, globalThis.document?.baseURI ?? void 0);
    if (isNode && url.protocol === "file:")
      return WebAssembly.compile((await nodeModule("fs")).readFileSync(url));
    const response = await fetch(url);
    if (!response.ok)
      throw io(`${url}: the server answers ${response.status} ${response.statusText}`);
    return WebAssembly.compile(await response.arrayBuffer());
  }
  var ownModule;
  async function open(from, options = {}) {
    const wasm = options.wasm !== void 0 ? moduleOf(options.wasm) : ownModule ?? (ownModule = moduleOf());
    const module = await wasm.catch((fault) => {
      ownModule = void 0;
      throw fault;
    });
    const cache = { bytes: 0, most: options.cache ?? 64 << 20 };
    const tables2 = new Tables(await folderOf(from, options, cache), cache);
    tables2.start(await WebAssembly.instantiate(module, tables2.imports()));
    return tables2;
  }
  var _folder, _cache, _files, _names, _opening, _notes, _wasm, _running, _ended, _Tables_instances, bytes_fn, textAt_fn, openFile_fn, read_fn, open_fn, tidy_fn, run_fn, call_fn;
  var Tables = class {
    // why no more calls are possible
    constructor(folder, cache) {
      __privateAdd(this, _Tables_instances);
      __privateAdd(this, _folder);
      __privateAdd(this, _cache);
      __privateAdd(this, _files, []);
      // by number
      __privateAdd(this, _names, /* @__PURE__ */ new Map());
      // name: number, or MISSING
      __privateAdd(this, _opening, /* @__PURE__ */ new Map());
      // name: promise
      __privateAdd(this, _notes, null);
      // of the run under way
      __privateAdd(this, _wasm);
      __privateAdd(this, _running, 0);
      __privateAdd(this, _ended, null);
      __privateSet(this, _folder, folder);
      __privateSet(this, _cache, cache);
    }
    imports() {
      return {
        cltb: {
          open: (path, look) => __privateMethod(this, _Tables_instances, openFile_fn).call(this, __privateMethod(this, _Tables_instances, textAt_fn).call(this, path), look),
          size: (number) => __privateGet(this, _files)[number].size,
          read: (number, to, count, offset) => __privateMethod(this, _Tables_instances, read_fn).call(this, __privateGet(this, _files)[number], to, count, offset),
          noted: () => __privateGet(this, _notes).names.size + __privateGet(this, _notes).pieces.size
        },
        env: { emscripten_notify_memory_growth() {
        } },
        wasi_snapshot_preview1: {
          clock_time_get: () => 0,
          environ_sizes_get: () => 0,
          environ_get: () => 0,
          fd_fdstat_get: () => 0,
          fd_write: () => 0
        }
      };
    }
    start(instance) {
      __privateSet(this, _wasm, instance.exports);
      __privateGet(this, _wasm)._initialize();
    }
    probe(fen) {
      return __privateMethod(this, _Tables_instances, call_fn).call(this, "value", fen);
    }
    mate(fen) {
      return __privateMethod(this, _Tables_instances, call_fn).call(this, "mate", fen);
    }
    moves(fen) {
      return __privateMethod(this, _Tables_instances, call_fn).call(this, "moves", fen);
    }
    analyse(fen) {
      return __privateMethod(this, _Tables_instances, call_fn).call(this, "all", fen);
    }
    standard(fen) {
      return __privateMethod(this, _Tables_instances, call_fn).call(this, "standard", fen);
    }
    mainline(fen) {
      return __privateMethod(this, _Tables_instances, call_fn).call(this, "mainline", fen);
    }
    get traffic() {
      return { requests: __privateGet(this, _folder).requests ?? 0, bytes: __privateGet(this, _folder).received ?? 0 };
    }
    close() {
      __privateSet(this, _ended, new CltbError("usage", "these tables have been closed"));
      __privateGet(this, _folder).close?.();
      __privateGet(this, _files).forEach((file2) => file2.pieces?.clear());
      __privateSet(this, _wasm, null);
    }
  };
  _folder = new WeakMap();
  _cache = new WeakMap();
  _files = new WeakMap();
  _names = new WeakMap();
  _opening = new WeakMap();
  _notes = new WeakMap();
  _wasm = new WeakMap();
  _running = new WeakMap();
  _ended = new WeakMap();
  _Tables_instances = new WeakSet();
  // ---- called by the reader ----
  bytes_fn = function() {
    return new Uint8Array(__privateGet(this, _wasm).memory.buffer);
  };
  textAt_fn = function(at) {
    const bytes = __privateMethod(this, _Tables_instances, bytes_fn).call(this);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  };
  openFile_fn = function(path, look) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const number = __privateGet(this, _names).get(name) ?? (__privateGet(this, _folder).mayHave(name) ? LATER : MISSING);
    if (number !== LATER)
      return number;
    if (!look)
      __privateGet(this, _notes).names.add(name);
    return look ? 0 : LATER;
  };
  read_fn = function(file2, to, count, offset) {
    const missing = file2.missing?.(offset, count) ?? [];
    if (count > READ_MAX)
      throw new CltbError("corrupt", `a table wants to be read by ${count} bytes at a time`);
    if (missing.length === 0)
      return file2.copy(__privateMethod(this, _Tables_instances, bytes_fn).call(this).subarray(to, to + count), offset);
    const noted = __privateGet(this, _notes).pieces.get(file2) ?? [];
    __privateGet(this, _notes).pieces.set(file2, noted.concat(missing));
    return LATER;
  };
  // ---- calls ----
  open_fn = function(name) {
    let promise = __privateGet(this, _opening).get(name);
    if (promise === void 0) {
      promise = __privateGet(this, _folder).open(name).then((file2) => {
        __privateGet(this, _names).set(name, file2 === null ? MISSING : __privateGet(this, _files).push(file2) - 1);
      }).finally(() => __privateGet(this, _opening).delete(name));
      __privateGet(this, _opening).set(name, promise);
    }
    return promise;
  };
  // Forgets all pieces: the reader has decoded what it needed.
  tidy_fn = function() {
    if (__privateGet(this, _cache).bytes <= __privateGet(this, _cache).most || __privateGet(this, _running) > 0)
      return;
    __privateGet(this, _files).forEach((file2) => file2.pieces?.clear());
    __privateGet(this, _cache).bytes = 0;
  };
  // One run; undefined if bytes were noted.
  run_fn = function(name, fen) {
    if (__privateGet(this, _ended) !== null)
      throw __privateGet(this, _ended);
    const notes = __privateSet(this, _notes, { names: /* @__PURE__ */ new Set(), pieces: /* @__PURE__ */ new Map() });
    let code;
    try {
      const text = new TextEncoder().encode(`${fen}\0`);
      const at = __privateGet(this, _wasm).room(text.length);
      __privateMethod(this, _Tables_instances, bytes_fn).call(this).set(text, at);
      code = __privateGet(this, _wasm)[name]();
    } catch (fault) {
      __privateSet(this, _ended, fault instanceof CltbError ? fault : new CltbError("memory", `the reader has failed: ${fault.message}`, { cause: fault }));
      throw __privateGet(this, _ended);
    }
    if (notes.names.size + notes.pieces.size > 0)
      return { notes };
    const answer2 = __privateMethod(this, _Tables_instances, textAt_fn).call(this, __privateGet(this, _wasm).text());
    if (code < 0)
      throw new CltbError(codes[code] ?? String(code), answer2);
    return { answer: answer2 };
  };
  call_fn = async function(name, fen) {
    if (typeof fen !== "string" || fen.includes("\0"))
      throw new CltbError("usage", "a position is a FEN");
    __privateWrapper(this, _running)._++;
    try {
      for (; ; ) {
        const { answer: answer2, notes } = __privateMethod(this, _Tables_instances, run_fn).call(this, name, fen);
        if (answer2 !== void 0)
          return JSON.parse(answer2);
        await Promise.all([
          ...[...notes.names].map((name2) => __privateMethod(this, _Tables_instances, open_fn).call(this, name2)),
          ...[...notes.pieces].map(([file2, pieces]) => file2.fetch(pieces))
        ]);
      }
    } finally {
      __privateWrapper(this, _running)._--;
      __privateMethod(this, _Tables_instances, tidy_fn).call(this);
    }
  };

  // src/site.js
  var inside = globalThis.cltbInside;
  var statuses = { usage: 400, position: 400, missing: 404 };
  var bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  var here = (name) => new URL(name, document.baseURI);
  if (inside !== void 0 && document.getElementById("board") !== null) {
    const pieces = document.createElement("div");
    pieces.id = "cm-chessboard-sprite";
    pieces.style.display = "none";
    pieces.innerHTML = inside.files["pieces.svg"];
    document.body.append(pieces);
  }
  async function file(name) {
    if (inside === void 0)
      return fetch(here(name));
    const found = inside.files[name];
    return (found ?? null) === null ? new Response(null, { status: 404 }) : new Response(typeof found === "string" ? found : JSON.stringify(found));
  }
  async function openTables() {
    if (inside !== void 0)
      return open(
        new Map(Object.entries(inside.tables).map(([name, text]) => [name, bytesOf(text)])),
        { wasm: bytesOf(inside.wasm) }
      );
    const list = (await (await file("endgames.json")).json()).map(({ material }) => `${material}.cltb`);
    return open(here("tables/"), { wasm: here("cltb.wasm"), list });
  }
  var tables;
  async function answer(call, fen) {
    try {
      tables ?? (tables = openTables());
      const opened = await tables.catch((fault) => {
        tables = void 0;
        throw fault;
      });
      return new Response(JSON.stringify(await opened[call](fen)));
    } catch (fault) {
      const status = statuses[fault.code] ?? 500;
      if (status === 500)
        tables = void 0;
      return new Response(fault.message, { status });
    }
  }
  async function stats(name) {
    const found = await file(name);
    return found.ok ? found : new Response("The file of this table keeps no statistics.", { status: 404 });
  }
  globalThis.cltbSite = (path) => {
    const [, name, fen] = path.match(/^([^?]*)(?:\?fen=(.*))?$/);
    if (name === "standard" || name === "standard/mainline")
      return answer(name === "standard" ? "standard" : "mainline", decodeURIComponent(fen));
    if (name === "about" || name === "endgames")
      return file(`${name}.json`);
    return name.startsWith("stats/") ? stats(name) : file(name);
  };
})();
