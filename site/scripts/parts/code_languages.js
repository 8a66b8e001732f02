import { makeCopyButton } from "./copy.js";

const KEPT = "code";

/**
 * Gives each request a toolbar with its languages and a button that copies: one stop of the tabulator, within which the
 * arrow keys move. One choice of language holds for all pages, and is kept on this device.
 */
export function startLanguages() {
  const label = document.getElementById("languages")?.dataset.label ?? "";
  const requests = document.querySelectorAll(".request");
  for (const request of requests) request.prepend(makeToolbar(request, label));
  if (requests.length) choose(read() || "curl", { isKept: false });
}

/**
 * @param {Element} request
 * @param {string} label
 */
function makeToolbar(request, label) {
  const toolbar = document.createElement("div");
  toolbar.className = "languages";
  toolbar.setAttribute("role", "toolbar");
  toolbar.setAttribute("aria-label", label);
  for (const figure of /** @type {NodeListOf<HTMLElement>} */ (request.querySelectorAll("figure[data-code]"))) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.language = figure.dataset.code;
    button.textContent = figure.querySelector("figcaption")?.textContent ?? "";
    button.addEventListener("click", () => {
      const top = button.getBoundingClientRect().top;
      choose(button.dataset.language ?? "curl", { isKept: true });
      scrollBy(0, button.getBoundingClientRect().top - top); // others above changed their height
    });
    toolbar.append(button);
  }
  const copy = makeCopyButton(() =>
    request.querySelector(`figure[data-code="${document.documentElement.dataset.code}"] pre`),
  );
  if (copy) toolbar.append(copy);
  toolbar.addEventListener("keydown", (event) => move(toolbar, event));
  return toolbar;
}

/**
 * @param {HTMLElement} toolbar
 * @param {KeyboardEvent} event
 */
function move(toolbar, event) {
  const buttons = /** @type {HTMLElement[]} */ ([...toolbar.children]);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (!step || at < 0) return;
  event.preventDefault();
  const next = buttons[(at + step + buttons.length) % buttons.length];
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}

/**
 * @param {string} language
 * @param {{isKept: boolean}} options
 */
function choose(language, { isKept }) {
  document.documentElement.dataset.code = language;
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".languages button"))) {
    const isChosen = button.dataset.language === language;
    if (button.dataset.language) button.setAttribute("aria-pressed", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
  }
  try {
    if (isKept) localStorage.setItem(KEPT, language);
  } catch {
    // Storage may be switched off: the choice holds for this page.
  }
}

function read() {
  try {
    const kept = localStorage.getItem(KEPT) ?? "";
    return document.querySelector(`figure[data-code="${CSS.escape(kept)}"]`) ? kept : "";
  } catch {
    return "";
  }
}
