(() => {
  // src/frame.js
  fetch("about").then((response) => response.json()).then(({ version, watches }) => {
    document.getElementById("version").textContent = version;
    document.getElementById("build").hidden = !watches;
  }).catch(() => {
  });
})();
