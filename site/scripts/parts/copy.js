/**
 * Gives each block of code a button that copies it, but those whose toolbar has one. The words of the button are those
 * of the page's template `copy`.
 * @param {ParentNode} within
 */
export function addCopyButtons(within) {
  for (const block of within.querySelectorAll("pre")) {
    if (block.closest(".code-frame, .request figure")) continue;
    const button = makeCopyButton(() => block);
    if (!button) return;
    const frame = document.createElement("div");
    frame.className = "code-frame";
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/**
 * @param {() => HTMLElement | null} findBlock finds the code to copy
 * @returns {HTMLButtonElement | null} null where the browser lets no script copy
 */
export function makeCopyButton(findBlock) {
  const words = document.getElementById("copy")?.dataset;
  if (!words || !navigator.clipboard) return null;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = words.copy ?? "";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(findBlock()?.textContent ?? "");
    button.textContent = words.copied ?? "";
    button.dataset.done = "";
    setTimeout(() => {
      button.textContent = words.copy ?? "";
      delete button.dataset.done;
    }, 1600);
  });
  return button;
}
