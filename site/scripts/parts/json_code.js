const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/**
 * Colours JSON.
 * @param {HTMLElement} code
 */
export function colorJson(code) {
  const text = code.textContent ?? "";
  /** @type {(string | Node)[]} */
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = found;
    const word = document.createElement("span");
    word.className = colon ? "code-name" : quoted ? "code-string" : "code-number";
    word.textContent = quoted ?? whole;
    parts.push(text.slice(end, found.index), word, colon ?? "");
    end = found.index + whole.length;
  }
  code.replaceChildren(...parts, text.slice(end));
}

/** Colours each block of JSON shortly before it is seen. */
export function startColoring() {
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        colorJson(/** @type {HTMLElement} */ (target));
      }
    },
    { rootMargin: "400px" },
  );
  for (const code of document.querySelectorAll("code[data-json]")) watch.observe(code);
}
