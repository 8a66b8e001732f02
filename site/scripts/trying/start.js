import { readOperation } from "./contract.js";
import { Panel } from "./panel.js";

/** Each route gets a form on request. */
export function startTrying() {
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button.try"))) {
    button.hidden = false;
    button.addEventListener("click", () => void open(button));
  }
}

/** @param {HTMLButtonElement} button */
async function open(button) {
  const route = /** @type {HTMLElement} */ (button.closest(".route"));
  const place = /** @type {HTMLElement} */ (button.parentElement);
  const note = /** @type {HTMLElement} */ (place.querySelector(".note"));
  button.disabled = true;
  note.textContent = "";
  const operation = await readOperation(route.dataset.path ?? "").catch(() => null);
  button.disabled = false;
  if (!operation) {
    note.textContent = button.dataset.failed ?? "";
    return;
  }
  const panel = new Panel(route, operation, () => {
    panel.form.replaceWith(place);
    button.focus();
  });
  place.replaceWith(panel.form);
  panel.focus();
}
