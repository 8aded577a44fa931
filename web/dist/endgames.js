(() => {
  // src/answers.js
  var get = (path) => globalThis.cltbSite?.(path) ?? fetch(path);

  // src/list.js
  function element(name, child, className = "") {
    const made = document.createElement(name);
    made.append(child);
    made.className = className;
    return made;
  }
  function button(text, press) {
    const made = element("button", text);
    made.addEventListener("click", press);
    return made;
  }

  // src/explain.js
  var sections = null;
  async function open(name) {
    sections ?? (sections = get("help.html").then((response) => response.text()).then((text) => new DOMParser().parseFromString(text, "text/html")));
    const dialog = document.getElementById("explanation");
    const found = (await sections).getElementById(name);
    const more = element("a", "All explanations");
    const row2 = element("div", button("Close", () => dialog.close()), "row");
    more.href = `help.html#${name}`;
    row2.append(more);
    dialog.replaceChildren(...[...found.children].map((one) => document.importNode(one, true)), row2);
    dialog.setAttribute("aria-label", found.querySelector("h2").textContent);
    dialog.showModal();
  }
  var explain = (name) => open(name).catch(() => {
    location.href = `help.html#${name}`;
  });

  // src/outcomes.js
  var outcomes = {
    "win": { name: "wins", side: "wins", title: "Wins", tone: "win" },
    "cursed-win": {
      name: "cursed wins",
      side: "wins too late for the 50-move rule",
      title: "Wins too late for the 50-move rule",
      tone: "cursed",
      term: "cursed"
    },
    "draw": { name: "draws", side: "draws", title: "Draws", tone: "draw" },
    "blessed-loss": {
      name: "blessed losses",
      side: "is saved by the 50-move rule",
      title: "Losses saved by the 50-move rule",
      tone: "blessed",
      term: "cursed"
    },
    "loss": { name: "losses", side: "loses", title: "Losses", tone: "loss" }
  };
  var unknown = { title: "Unknown", tone: "draw" };
  var rounded = { "syzygy-win": "win", "maybe-win": "win", "syzygy-loss": "loss", "maybe-loss": "loss" };
  var keys = Object.keys(outcomes);
  var outcome = (key) => outcomes[rounded[key] ?? key] ?? unknown;

  // src/material.js
  var percent = (share) => share > 0 && share < 0.1 ? "< 0.1 %" : share > 99.9 && share < 100 ? "> 99.9 %" : `${share.toFixed(1)} %`;

  // src/tables.js
  var asked = null;
  function tablesThere() {
    asked ?? (asked = get("endgames").then((response) => response.json()).then((all2) => {
      const there = new Map(all2.filter((table) => !table.metric.startsWith("dtm") && !table.metric.startsWith("dtc")).map((table) => [table.material, table]));
      for (const table of all2) {
        const full2 = there.get(table.material.replace(".dtm", ""));
        if (table.metric === "dtm" && full2 !== void 0)
          full2.mates = true;
      }
      return there;
    }).catch((error) => {
      asked = null;
      throw error;
    }));
    return asked;
  }
  function anyPosition(name) {
    const squares = [...Array(64)].fill("1");
    name.split("v").forEach((men, side) => {
      const [first, second] = side === 0 ? [56, 48] : [7, 15];
      const way = side === 0 ? 1 : -1;
      [...men].forEach((piece, i) => {
        squares[(piece === "P" ? second : first) + way * i] = side === 0 ? piece : piece.toLowerCase();
      });
    });
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((row2) => squares.slice(8 * row2, 8 * row2 + 8).join(""));
    return `${rows.join("/").replace(/1+/g, (ones) => ones.length)} w - - 0 1`;
  }
  var full = (fen) => `${fen.split(" ").slice(0, 4).join(" ")} 0 1`;
  var longestOf = (table) => [...table?.longest ?? []].sort((a, b) => b.plies - a.plies)[0];
  var positionOf = (name, table) => {
    const longest = longestOf(table);
    return longest === void 0 ? anyPosition(name) : full(longest.fen);
  };
  var start = location.protocol === "file:" ? "index.html" : "./";
  var address = (fen) => `${start}?fen=${fen.replaceAll(" ", "_")}`;

  // src/endgames.js
  var $ = (id) => document.getElementById(id);
  var all = [, , , 5, 30, 110, 365, 1001, 2520];
  var megabytes = (bytes) => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  var capital = (word) => word[0].toUpperCase() + word.slice(1);
  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  function bar(table, colour) {
    const counts = keys.map((key) => [key, table[colour].outcomes[key].positions]);
    const sum = counts.reduce((before, [, count]) => before + count, 0);
    let x = 0;
    const words = [];
    const parts = counts.filter(([, count]) => count > 0).map(([key, count]) => {
      const width = 100 * count / sum;
      words.push(`${percent(width)} ${outcome(key).name}`);
      x += width;
      return svg("rect", { x: x - width, y: 0, width, height: 1, class: outcome(key).tone });
    });
    const label = `${capital(colour)} to move: ${words.join(", ")}`;
    return svg(
      "svg",
      { viewBox: "0 0 100 1", preserveAspectRatio: "none", role: "img", "aria-label": label },
      svg("title", {}, label),
      ...parts
    );
  }
  function row(table) {
    const item = document.createElement("li");
    const longest = longestOf(table);
    const name = element("a", table.material);
    name.href = address(positionOf(table.material, table));
    item.append(name);
    if (table.white !== void 0)
      item.append(bar(table, "white"), bar(table, "black"));
    if (longest !== void 0) {
      const link = element("a", `DTZ ${longest.plies}`);
      link.href = address(positionOf(table.material, table));
      item.append(element("span", link));
      item.lastChild.append(`, ${capital(longest.winner)} wins${longest.cursed ? " too late" : ""}`);
    } else {
      item.append(element("small", table.longest === void 0 ? "" : "no side can win"));
    }
    return item;
  }
  function fits(name, wanted) {
    const counts = (men) => [...men].reduce((sum, c) => ({ ...sum, [c]: (sum[c] ?? 0) + 1 }), {});
    const has = (side, men) => Object.entries(counts(men)).every(([c, n]) => (counts(side)[c] ?? 0) >= n);
    const sides = name.split("v");
    const [first, second] = wanted.split("v");
    if (second === void 0)
      return sides.some((side) => has(side, first));
    return has(sides[0], first) && has(sides[1], second) || first !== "" && has(sides[1], first) && has(sides[0], second);
  }
  function show(there) {
    const wanted = $("typed").value.trim().toUpperCase().replace("V", "v").replace(/[^KQRBNPv]/g, "");
    const found = [...there.values()].filter((table) => fits(table.material, wanted) && !($("pawnless").checked && table.material.includes("P")));
    const sets = [...new Set(found.map((table) => table.men))].map((men) => {
      const [present, shown] = [[...there.values()], found].map((some) => some.filter((table) => table.men === men));
      const bytes = present.reduce((sum, table) => sum + table.bytes, 0);
      const head = element("h2", `${men} men `);
      head.append(element("small", `${present.length} of ${all[men]} tables${present.length === all[men] ? ", complete" : ""}, ${megabytes(bytes)}${shown.length < present.length ? `; ${shown.length} shown` : ""}`));
      const list = document.createElement("ul");
      list.append(...shown.map(row));
      return [head, list];
    });
    $("list").replaceChildren(...sets.flat());
    $("state").textContent = found.length > 0 ? "" : "There is no such table here.";
  }
  async function start2() {
    const there = await tablesThere();
    const bars = element("button", "Bars", "term");
    bars.onclick = () => explain("bars");
    $("legend").append(bars, " of White to move and Black to move:");
    for (const key of keys)
      $("legend").append(element("span", "", outcome(key).tone), outcome(key).name);
    $("typed").oninput = $("pawnless").onchange = () => show(there);
    $("pick").onsubmit = (event) => event.preventDefault();
    show(there);
  }
  start2().catch(() => {
    $("state").textContent = "The server does not answer. Has it been stopped?";
  });
})();
