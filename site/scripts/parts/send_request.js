import { colorJson } from "./json_code.js";

/** The home page's request can be sent from there: what comes back takes the place of the sample. */
export function startSending() {
  const button = document.getElementById("send");
  const told = document.getElementById("sent");
  const answer = document.getElementById("answer");
  const note = document.getElementById("answer-note");
  if (!(button instanceof HTMLButtonElement) || !told || !answer || !note) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    const began = performance.now();
    try {
      const reply = await fetch(button.dataset.request ?? "", {
        headers: { "X-API-Key": button.dataset.key ?? "" },
        cache: "no-store",
      });
      answer.textContent = JSON.stringify(await reply.json(), null, 2);
      colorJson(answer);
      note.hidden = true;
      told.textContent = (told.dataset.good ?? "")
        .replace("{status}", String(reply.status))
        .replace("{time}", String(Math.round(performance.now() - began)));
    } catch {
      told.textContent = told.dataset.bad ?? "";
    }
    button.disabled = false;
    button.focus();
  });
}
