import { addDays, findWeekday } from "./days.js";
import { element } from "./element.js";
import { HEADING } from "./list_view.js";
import { CALENDAR_DAYS } from "./requests.js";
import { changeFilters } from "./state.js";

/** @import { CalendarBody } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 * @typedef {{date: string, counts: Record<string, number>, total: number}} Day how many of each kind are on a date
 * @typedef {{from: string, to: string}} Window
 */

const LEVELS = 5;
/** @type {Intl.DateTimeFormatOptions} */
const MONTH_DAY = { day: "numeric", month: "short" };

/**
 * The window that the calendar shows: from today on, or from a later date if the filters begin after today's window.
 * @param {State} state
 * @param {string} today
 * @returns {Window}
 */
export function findWindow(state, today) {
  const start = state.filters.get("from");
  const isNear = !start || (start >= today && start < addDays(today, CALENDAR_DAYS));
  const from = isNear ? today : start;
  return { from, to: addDays(from, CALENDAR_DAYS - 1) };
}

/**
 * The counts of several kinds, day by day.
 * @param {string[]} types
 * @param {CalendarBody[]} bodies one of each
 * @returns {Day[]}
 */
export function addDayCounts(types, bodies) {
  return bodies[0].data.map(({ date }, at) => {
    const counts = Object.fromEntries(types.map((type, number) => [type, bodies[number].data[at].count]));
    return { date, counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
  });
}

/**
 * The days whose listings are shown: those that the filters name if they are few, else the first that has any.
 * @param {Day[]} days
 * @param {State} state
 * @returns {Window}
 */
export function findAgenda(days, state) {
  const [from = days[0].date, to] = [state.filters.get("from"), state.filters.get("to")];
  if (to && state.filters.has("from") && to <= addDays(from, 1)) return { from, to };
  const first = days.find(({ date, total }) => total && date >= from && (!to || date <= to))?.date ?? from;
  return { from: first, to: first };
}

/**
 * A week a row, with how much is on each day. Choosing a day shows its listings; choosing it again takes that away.
 * @param {{days: Day[], agenda: Window, today: string}} shown
 * @param {State} state
 * @param {Language} language
 * @param {(change: (state: State) => State) => void} change
 */
export function makeCalendar({ days, agenda, today }, state, language, change) {
  const most = Math.max(1, ...days.map(({ total }) => total));
  const choose = (/** @type {string} */ day, /** @type {boolean} */ isChosen) =>
    change((state) => changeFilters(state, isChosen ? { from: "", to: "" } : { from: day, to: day }));
  const cells = days.map((day) => makeDay(day, { most, isFirst: day === days[0], agenda }, state, language, choose));
  const gap = Array.from({ length: findWeekday(days[0].date) }, () => element("td", { class: "gap" }));
  const rows = [];
  for (let at = 0, all = [...gap, ...cells]; at < all.length; at += 7)
    rows.push(element("tr", {}, ...all.slice(at, at + 7)));
  // 2024-01-01 was a Monday.
  const heads = Array.from({ length: 7 }, (_, at) =>
    element("th", { scope: "col" }, language.date(addDays("2024-01-01", at), { weekday: "short" })),
  );
  const q = state.filters.get("q");
  return element(
    "div",
    { class: "calendar" },
    makeTurning(days, today, language, change),
    element(
      "table",
      { "aria-label": language.say("calendar") },
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    ),
    element("p", { class: "note" }, language.say("calendar_why")),
    q && element("p", { class: "note", id: "calendar-without-q" }, language.say("calendar_without_q", { q })),
  );
}

/**
 * The dates that are shown, and the buttons to those before and after.
 * @param {Day[]} days
 * @param {string} today
 * @param {Language} language
 * @param {(change: (state: State) => State) => void} change
 */
function makeTurning(days, today, language, change) {
  const { date: first } = days[0];
  const last = days[days.length - 1].date;
  const turn = (/** @type {string} */ word, /** @type {string} */ from, isAway = false) =>
    element(
      "button",
      {
        type: "button",
        disabled: isAway,
        "data-turn": word,
        onclick: () => change((state) => changeFilters(state, { from: from > today ? from : "", to: "" })),
      },
      language.say(word),
    );
  return element(
    "p",
    { class: "turning" },
    turn("earlier", addDays(first, -CALENDAR_DAYS), first <= today),
    element("b", {}, language.range(first, last, MONTH_DAY)),
    turn("later", addDays(last, 1)),
  );
}

/**
 * @param {Day} day
 * @param {{most: number, isFirst: boolean, agenda: Window}} among the days that are shown
 * @param {State} state
 * @param {Language} language
 * @param {(day: string, isChosen: boolean) => void} choose
 */
function makeDay({ date, counts, total }, { most, isFirst, agenda }, state, language, choose) {
  const level = total ? Math.ceil((total / most) * LEVELS) : 0;
  const isShown = agenda.from <= date && date <= agenda.to;
  const isChosen = isShown && state.filters.get("from") === date && state.filters.get("to") === date;
  const told = Object.entries(counts).filter(([, count]) => count);
  const what = told.map(([type, count]) => language.plural(type, count)).join(", ") || language.count(0);
  const label = language.say("day_count", { day: language.date(date, HEADING), count: what });
  const hasMonth = date.endsWith("-01") || isFirst;
  return element(
    "td",
    {},
    element(
      "button",
      {
        type: "button",
        class: `day level-${level}`,
        "data-date": date,
        "data-count": String(total),
        "aria-pressed": String(isShown),
        title: label,
        onclick: () => choose(date, isChosen),
      },
      element(
        "span",
        { class: "date", "aria-hidden": "true" },
        hasMonth ? language.date(date, MONTH_DAY) : String(Number(date.slice(8))),
      ),
      element("span", { class: "hidden-text" }, label),
      total > 0 && element("span", { class: "number", "aria-hidden": "true" }, language.count(total)),
    ),
  );
}

/**
 * The heading of the listings below the calendar.
 * @param {Window} agenda
 * @param {Language} language
 */
export function makeAgendaHeading({ from, to }, language) {
  const text = from === to ? language.date(from, HEADING) : language.range(from, to);
  return element("h2", { class: "date", id: "agenda" }, text);
}
