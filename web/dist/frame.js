(() => {
  // src/answers.js
  var get = (path) => globalThis.cltbSite?.(path) ?? fetch(path);

  // src/frame.js
  get("about").then((response) => response.json()).then(({ version, watches }) => {
    document.getElementById("version").textContent = version;
    document.getElementById("build").hidden = !watches;
  }).catch(() => {
  });
})();
