import { Api } from "../explorer/api.js";
import { arrange } from "../explorer/arrange.js";
import { findNow } from "../explorer/days.js";
import { element } from "../explorer/element.js";
import { readLanguage } from "../explorer/language.js";
import { findWeekend } from "../explorer/line.js";
import { locatePage, makeItems } from "../explorer/list_view.js";
import { requestFirst } from "../explorer/requests.js";
import { DATED_TYPES, EVERY_TYPE, formatState } from "../explorer/state.js";

/** @import { ListBody } from "../../types/api.js" */

const MOST = 4;
// Of each kind: among them are what is over and what is full.
const MOST_READ = 50;

/** Shows what is on this weekend in each city that the page names. */
export async function showWeekends() {
  const root = document.getElementById("weekends");
  if (!root) return;
  const { api: base = "", key = "" } = root.dataset;
  const api = new Api(base, key);
  const language = readLanguage(root);
  for (const section of root.querySelectorAll("section")) {
    language.isAmerican = "american" in section.dataset;
    showWeekend(section, root, { api, language, now: findNow(section.dataset.timezone ?? "UTC") });
  }
}

/**
 * Shows the first of what is on in a city, events before classes and camps.
 * @param {HTMLElement} section with `data-metro`
 * @param {HTMLElement} root with `data-pages`
 * @param {object} about
 * @param {import("../explorer/api.js").Api} about.api
 * @param {import("../explorer/language.js").Language} about.language
 * @param {string} about.now local
 */
async function showWeekend(section, root, { api, language, now }) {
  const metro = section.dataset.metro ?? "";
  const filters = new Map(Object.entries(findWeekend(now.slice(0, 10))));
  const state = { metro, type: EVERY_TYPE, view: "list", page: 1, listing: "", filters };
  const explore = (/** @type {object} */ change) =>
    `${root.dataset.pages}explore/${formatState({ ...state, ...change })}`;
  const ways = {
    openListing: () => {},
    goTo: () => {},
    locatePage: (/** @type {string} */ type, /** @type {string} */ slug) => locatePage(root, metro, type, slug),
    locate: explore,
    now: () => now,
  };
  const rows = section.querySelector(".rows");
  const link = section.querySelector("p > a");
  if (!rows || !(link instanceof HTMLAnchorElement)) return;
  link.href = explore({});
  try {
    /** @type {ListBody[]} */
    const bodies = await Promise.all(requestFirst(state, MOST_READ, DATED_TYPES).map(({ path }) => api.read(path)));
    const total = bodies.reduce((sum, { facets }) => sum + facets.total, 0);
    if (total) {
      const { ahead, closed } = arrange(
        bodies.flatMap(({ data }) => data),
        state,
        now,
      );
      rows.replaceChildren(...makeItems([...ahead, ...closed].slice(0, MOST), state, language, ways, 3));
      link.textContent = language.say("weekend_all", { count: total });
    } else {
      const [{ path }] = requestFirst({ ...state, filters: new Map() }, MOST_READ, ["places"]);
      const { data } = await api.read(path);
      rows.replaceChildren(
        element("p", { class: "note" }, language.say("weekend_none")),
        ...makeItems(pickNames(data).slice(0, MOST), state, language, ways, 3),
      );
      link.href = explore({ filters: new Map() });
    }
  } catch {
    rows.replaceChildren(element("p", { class: "note" }, language.say("weekend_failed")));
  }
}

/**
 * The first item of each name.
 * @param {import("../../types/api.js").Item[]} items
 */
function pickNames(items) {
  return [...new Map(items.toReversed().map((item) => [item.name, item])).values()].toReversed();
}
