const KEPT = "code";

/** Gives each request buttons for its languages. One choice holds for the page, and is kept on this device. */
export function startLanguages() {
  const label = document.getElementById("languages")?.dataset.label ?? "";
  const chosen = read();
  for (const request of document.querySelectorAll(".request")) request.prepend(makeButtons(request, label));
  if (chosen) choose(chosen);
  else press("curl");
}

/**
 * @param {Element} request
 * @param {string} label
 */
function makeButtons(request, label) {
  const group = document.createElement("div");
  group.className = "languages";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  for (const figure of /** @type {NodeListOf<HTMLElement>} */ (request.querySelectorAll("figure[data-code]"))) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.language = figure.dataset.code;
    button.textContent = figure.querySelector("figcaption")?.textContent ?? "";
    button.addEventListener("click", () => {
      const top = button.getBoundingClientRect().top;
      choose(button.dataset.language ?? "curl");
      scrollBy(0, button.getBoundingClientRect().top - top); // others above changed their height
    });
    group.append(button);
  }
  return group;
}

/** @param {string} language */
function choose(language) {
  document.documentElement.dataset.code = language;
  press(language);
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // Storage may be switched off: the choice holds for this page.
  }
}

/** @param {string} language */
function press(language) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".languages button"))) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
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
