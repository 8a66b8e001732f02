/**
 * Gives each block of code a button that copies it. The words of the button are those of the page's template `copy`.
 * @param {ParentNode} within
 */
export function addCopyButtons(within) {
  const words = document.getElementById("copy")?.dataset;
  if (!words || !navigator.clipboard) return;
  for (const block of within.querySelectorAll("pre")) {
    if (block.parentElement?.classList.contains("code-frame")) continue;
    const frame = document.createElement("div");
    frame.className = "code-frame";
    block.replaceWith(frame);
    frame.append(block, makeButton(block, words));
    block.tabIndex = 0; // what may scroll can be scrolled by keyboard
  }
}

/**
 * @param {HTMLElement} block
 * @param {DOMStringMap} words
 */
function makeButton(block, words) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words.copy ?? "";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent ?? "");
    button.textContent = words.copied ?? "";
    button.dataset.done = "";
    setTimeout(() => {
      button.textContent = words.copy ?? "";
      delete button.dataset.done;
    }, 1600);
  });
  return button;
}
