(() => {
  // src/build.js
  var $ = (id) => document.getElementById(id);
  var tables = /* @__PURE__ */ new Map();
  var from = 0;
  var rest = "";
  var states = {
    start: "solving",
    ply: "solving",
    solved: "solved",
    write: "compressing",
    done: "made",
    present: "present",
    wait: "waiting",
    replace: "replaced",
    left: "left",
    fallback: "on the processor"
  };
  var number = (count) => count === void 0 ? "" : count.toLocaleString("en");
  function duration(seconds) {
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.round(seconds)} s`;
  }
  function take(event) {
    if (event.event === "end") {
      const error = event.error === void 0 ? "" : `: ${event.error}`;
      $("state").textContent = `Ended (${event.status})${error}. ${event.made} made, ${event.present} present.`;
      $("rest").textContent = event.seconds === void 0 ? "" : `${duration(event.seconds)}, ${number(event.bytes)} bytes`;
      return;
    }
    if (event.table === void 0)
      return;
    const known = tables.get(event.table) ?? {};
    const share = event.event === "done" || event.event === "present" ? 1 : event.share ?? known.share ?? 0;
    tables.set(event.table, { ...known, ...event, share, state: states[event.event] ?? event.event });
    $("state").textContent = event.tables === void 0 ? "" : `Table ${event.number} of ${event.tables}`;
    if (event.seconds_left !== void 0)
      $("rest").textContent = `About ${duration(event.seconds_left)} left`;
  }
  function row(name, known) {
    const made = document.createElement("tr");
    const head = document.createElement("th");
    const bar = document.createElement("progress");
    head.scope = "row";
    head.textContent = name;
    bar.value = known.share;
    bar.setAttribute("aria-label", `Share of ${name}`);
    const seconds = known.solve_seconds === void 0 ? known.seconds : known.solve_seconds + (known.write_seconds ?? 0);
    for (const value of [known.state, bar, known.ply ?? "", seconds?.toFixed(1) ?? "", number(known.bytes)]) {
      const cell = document.createElement("td");
      cell.append(value);
      made.append(cell);
    }
    made.prepend(head);
    return made;
  }
  async function read() {
    const response = await fetch(`build?from=${from}`);
    if (response.status === 404)
      return null;
    if (!response.ok)
      throw new Error(await response.text());
    const begin = Number(response.headers.get("Cltb-From"));
    const bytes = await response.arrayBuffer();
    if (begin < from) {
      tables.clear();
      rest = "";
    }
    from = begin + bytes.byteLength;
    const lines = (rest + new TextDecoder().decode(bytes)).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      try {
        take(JSON.parse(line));
      } catch {
        $("state").textContent = "A line is not JSON.";
      }
    }
    return bytes.byteLength;
  }
  function totals() {
    const made = [...tables.values()].filter((known) => known.share === 1);
    const sum = (key) => made.reduce((before, known) => before + (known[key] ?? 0), 0);
    $("total").replaceChildren(...row("Made", {
      share: made.length / Math.max(...made.map((one) => one.tables ?? 0), 1),
      state: String(made.length),
      solve_seconds: sum("solve_seconds"),
      write_seconds: sum("write_seconds"),
      bytes: sum("bytes")
    }).children);
  }
  async function watch() {
    for (; ; ) {
      let got = 0;
      try {
        got = await read();
      } catch (error) {
        $("state").textContent = error instanceof TypeError ? "The server does not answer. Has it been stopped?" : error.message;
      }
      if (got === null) {
        $("state").textContent = "No build is watched: start the server with --watch FILE.";
        return;
      }
      if (got > 0) {
        $("tables").replaceChildren(...[...tables].reverse().map(([name, known]) => row(name, known)));
        totals();
      } else if (got === 0 && from === 0)
        $("state").textContent = "The build has not begun.";
      await new Promise((resolve) => setTimeout(resolve, got > 5e5 ? 0 : 1e3));
    }
  }
  watch();
})();
