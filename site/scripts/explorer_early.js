// Asks for a city's index at once: the explorer's own script is larger, and finds the answer under way.
import { readCity } from "./parts/chosen_city.js";

const metro = new URLSearchParams(location.search).get("metro") || readCity();
if (/^[a-z0-9-]+$/.test(metro)) {
  const { href } = new URL(`../v1/${metro}/explorer/index.json`, import.meta.url);
  const answer = fetch(href);
  answer.catch(() => null); // who takes it says what went wrong
  Object.assign(globalThis, { earlyIndex: { href, answer } });
}
