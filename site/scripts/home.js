// The home page: what is on this weekend in each city, and the request that can be sent from there.
import { Api } from "./explorer/api.js";
import { findToday } from "./explorer/days.js";
import { readLanguage } from "./explorer/language.js";
import { findWeekend } from "./explorer/line.js";
import { showSample } from "./parts/sample.js";
import { startSending } from "./parts/send_request.js";
import { showWeekend } from "./parts/weekend.js";

/** @import { Body, Metro } from "../types/api.js" */

showSample();
startSending();
const weekends = document.getElementById("weekends");
if (weekends) showWeekends(weekends);
// The pages' policy lets no form be sent: the explorer's address says what it asks for.
document.querySelector("form.home-search")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const asked = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  location.assign(`${form.action}?${new URLSearchParams(asked)}`);
});

/** @param {HTMLElement} root */
async function showWeekends(root) {
  const { api: base = "", key = "" } = root.dataset;
  const api = new Api(base, key);
  const language = readLanguage(root);
  /** @type {Metro[]} */
  let metros = [];
  try {
    metros = /** @type {Body<Metro[]>} */ (await api.read("metros")).data;
  } catch {
    for (const rows of root.querySelectorAll(".rows")) rows.textContent = language.say("weekend_failed");
  }
  for (const section of root.querySelectorAll("section")) {
    const metro = metros.find(({ slug }) => slug === section.dataset.metro);
    if (metro) showWeekend(section, root, { api, language, window: findWeekend(findToday(metro.timezone)) });
  }
}
