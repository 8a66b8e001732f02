import { addDays, findWeekday } from "./days.js";
import { element } from "./element.js";
import { CALENDAR_DAYS } from "./requests.js";

/** @import { CalendarBody, CalendarDay } from "../../types/api.js" */

/** @typedef {import("./language.js").Language} Language */

const LEVELS = 5;
/** @type {Intl.DateTimeFormatOptions} */
const MONTH_DAY = { day: "numeric", month: "short" };

/**
 * The window that the calendar shows: from today on, and from a later first date if the filters have one that today's
 * window does not reach.
 * @param {import("./state.js").State} state
 * @param {string} today
 */
export function findWindow(state, today) {
  const start = state.filters.get("from");
  const isNear = !start || (start >= today && start < addDays(today, CALENDAR_DAYS));
  const from = isNear ? today : start;
  return { from, to: addDays(from, CALENDAR_DAYS - 1) };
}

/**
 * A heat map, a week a row. Choosing a day filters by it; choosing it again takes that away.
 * @param {CalendarBody} body
 * @param {import("./state.js").State} state
 * @param {Language} language
 * @param {(day: string) => void} choose
 */
export function makeCalendar(body, state, language, choose) {
  const most = Math.max(1, ...body.data.map((day) => day.count));
  const [first, last] = [body.data.at(0)?.date, body.data.at(-1)?.date];
  if (!first || !last) return element("p", { class: "empty" }, language.say("empty"));
  const cells = body.data.map((day) => makeDay(day, { most, isFirst: day.date === first }, state, language, choose));
  const gap = Array.from({ length: findWeekday(first) }, () => element("td", { class: "gap" }));
  const rows = [];
  for (let at = 0, all = [...gap, ...cells]; at < all.length; at += 7)
    rows.push(element("tr", {}, ...all.slice(at, at + 7)));
  const name = (/** @type {string} */ day) => language.date(day, MONTH_DAY);
  // 2024-01-01 was a Monday.
  const heads = Array.from({ length: 7 }, (_, at) =>
    element("th", { scope: "col" }, language.date(addDays("2024-01-01", at), { weekday: "short" })),
  );
  return element(
    "div",
    { class: "calendar" },
    element(
      "p",
      { class: "note" },
      language.say("calendar_why", { first: name(first), last: name(last), count: body.meta.total }),
    ),
    state.filters.has("q") &&
      element(
        "p",
        { class: "note", id: "calendar-without-q" },
        language.say("calendar_without_q", { q: state.filters.get("q") ?? "" }),
      ),
    element(
      "div",
      { class: "wide", role: "region", "aria-label": language.say("calendar"), tabindex: "0" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)),
    ),
  );
}

/**
 * @param {CalendarDay} day
 * @param {{most: number, isFirst: boolean}} among the days that are shown
 * @param {import("./state.js").State} state
 * @param {Language} language
 * @param {(day: string) => void} choose
 */
function makeDay(day, { most, isFirst }, state, language, choose) {
  const level = day.count ? Math.ceil((day.count / most) * LEVELS) : 0;
  const isChosen = state.filters.get("from") === day.date && state.filters.get("to") === day.date;
  const label = language.say("day_count", { day: language.date(day.date), count: day.count });
  const date = Number(day.date.slice(8));
  const shown = date === 1 || isFirst || isChosen ? language.date(day.date, MONTH_DAY) : String(date);
  return element(
    "td",
    {},
    element(
      "button",
      {
        type: "button",
        class: `day level-${level}`,
        "data-date": day.date,
        "data-count": String(day.count),
        "aria-pressed": String(isChosen),
        title: label,
        onclick: () => choose(day.date),
      },
      element("span", { class: "date" }, shown),
      element("span", { class: "hidden-text" }, ` ${language.date(day.date)} `),
      element("span", { class: day.count ? "number" : "hidden-text" }, language.count(day.count)),
    ),
  );
}
