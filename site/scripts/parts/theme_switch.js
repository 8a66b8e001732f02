/** The button goes round: as the device has it, light, dark. What was chosen is kept on this device. */
export function startThemeSwitch() {
  const button = document.getElementById("theme");
  if (!button) return;
  const root = document.documentElement;
  const show = () => {
    const chosen = root.dataset.theme ?? "auto";
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[chosen] ?? "";
    button.title = button.dataset[chosen] ?? "";
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const following = { auto: "light", light: "dark", dark: "auto" }[root.dataset.theme ?? "auto"] ?? "auto";
    if (following === "auto") delete root.dataset.theme;
    else root.dataset.theme = following;
    try {
      localStorage.setItem("theme", following);
    } catch {
      // Storage may be switched off: the choice holds for this page.
    }
    show();
  });
  show();
  // On a telephone the head of the page has no room for it.
  if (matchMedia("(max-width: 40rem)").matches) document.querySelector(".foot .bar")?.append(button);
  button.hidden = false;
}
