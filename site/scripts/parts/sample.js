import { addDays } from "../explorer/days.js";

const DAY_MS = 86_400_000;

/** Moves the dates of the sample answer, which is of one day, near today. */
export function showSample() {
  const answer = document.getElementById("answer");
  const day = answer?.dataset.day;
  if (!answer || !day) return;
  const gone = Math.floor((Date.now() - Date.parse(day)) / DAY_MS);
  const texts = document.createTreeWalker(answer, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const text = currentNode.textContent ?? "";
    currentNode.textContent = text.replace(/\b\d{4}-\d\d-\d\d(?=["T])/g, (date) => addDays(date, gone));
  }
}

// A string, with the colon behind a name; a number, true, false or null; anything else.
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)|[^"\d\w-]+|[\w-]/g;

/**
 * JSON with the classes of the page's coloured code.
 * @param {unknown} value
 */
export function colourJson(value) {
  return [...JSON.stringify(value, null, 2).matchAll(TOKENS)].map(([text, string, colon, word]) => {
    const name = string ? (colon ? "code-name" : "code-string") : word ? "code-number" : "";
    if (!name) return text;
    const span = document.createElement("span");
    span.className = name;
    span.textContent = string ?? text;
    return colon ? [span, colon] : span;
  });
}
