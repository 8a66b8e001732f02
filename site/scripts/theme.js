// Runs before anything is painted, so that no page flashes in the other colours.
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be switched off: then the device decides.
  }
})();
