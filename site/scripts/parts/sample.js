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
