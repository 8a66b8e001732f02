import { addDays, findWeekday } from "./days.js";

/** @import { Item, Section } from "../../types/api.js" */

/** @typedef {import("./language.js").Language} Language */
/** @typedef {{from: string, to: string} | null} Window */

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "short", day: "numeric", month: "short" };
/** @type {Intl.DateTimeFormatOptions} */
const TERM = { day: "numeric", month: "short", year: "numeric" };
const MONDAY = "2024-01-01";
const FEW = 5;

/**
 * When something is, in one line; empty where nothing is stated. In a short window a class says its meeting, not its
 * term.
 * @param {Item} item
 * @param {Language} language
 * @param {Window} [window]
 */
export function tellTime(item, language, window = null) {
  if (item.type === "event")
    return item.occurrence || item.is_recurring !== undefined
      ? tellEventTime(item, language)
      : tellMoment(item, language);
  if (item.type === "camp")
    return item.starts_on === undefined ? tellMoment(item, language) : tellSpan(item.starts_on, item.ends_on, language);
  if (item.type === "class") {
    const meeting = findStart(item, window);
    if (meeting) return tellMeeting(meeting, language);
    const { days = [], start_time, end_time } = item.schedule ?? {};
    const weekdays = days.map((/** @type {string} */ day) => tellWeekday(day, language)).join(", ");
    const hours = start_time && language.clock(start_time, end_time);
    const term = tellSpan(item.term?.starts_on, item.term?.ends_on, language, TERM);
    const unbroken = term.replace(/\s/g, "\u00a0").replace("–", "–\u2060");
    return [[weekdays, hours].filter(Boolean).join(" "), unbroken].filter(Boolean).join(" · ");
  }
  return item.type_hint ? language.name(item.type_hint) : "";
}

/**
 * What an item near a point says of its time.
 * @param {Item} item
 * @param {Language} language
 */
function tellMoment(item, language) {
  return item.starts_local ? language.date(item.starts_local.replace("T00:00:00", ""), DAY) : "";
}

/**
 * @param {{start: string, end: string}} meeting
 * @param {Language} language
 */
function tellMeeting({ start, end }, language) {
  const day = start.slice(0, 10);
  return end && start < `${day}T${end}` ? language.range(start, `${day}T${end}`, DAY) : language.date(start, DAY);
}

/**
 * @param {string} day
 * @param {Language} language
 */
function tellWeekday(day, language) {
  return language.date(addDays(MONDAY, WEEKDAYS.indexOf(day)), { weekday: "short" });
}

/**
 * When an item begins, in a short window the first time in it: null where nobody knows.
 * @param {Item} item
 * @param {Window} [window]
 * @returns {{start: string, end: string} | null}
 */
export function findStart(item, window = null) {
  const { occurrence, starts_local: local, starts_on: date } = item;
  const start = occurrence?.starts_local ?? occurrence?.next_starts_local ?? local ?? date;
  if (start && item.type !== "class") {
    const last = occurrence?.starts_local ? occurrence.ends_local : occurrence ? null : item.ends_local;
    if (item.has_time === false) return { start: start.slice(0, 10), end: "" };
    return { start, end: last?.slice(0, 10) === start.slice(0, 10) ? last.slice(11) : "" };
  }
  if (item.type !== "class" || !window) return start ? { start, end: "" } : null;
  const slots = item.sections?.length ? item.sections : item.schedule ? [item] : [];
  const meetings = slots.map((slot) => findMeeting(slot, item, window)).filter((meeting) => meeting !== null);
  meetings.sort((one, other) => (one.start < other.start ? -1 : 1));
  return meetings[0] ?? (start ? { start, end: "" } : null);
}

/**
 * @param {Item | Section} slot a section, or a class without any
 * @param {Item} item its class
 * @param {{from: string, to: string}} window
 */
function findMeeting(slot, item, { from, to }) {
  const term = slot.term?.starts_on || slot.term?.ends_on ? slot.term : item.term;
  const { start_time: start, end_time: end } = slot.schedule ?? {};
  /** @type {string[]} */
  const days = slot.schedule?.days ?? [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    if ((term?.starts_on ?? day) > day || (term?.ends_on ?? day) < day) continue;
    const isOn = days.length ? days.includes(WEEKDAYS[findWeekday(day)]) : term?.starts_on === day;
    if (isOn) return { start: start ? `${day}T${start}` : day, end: end ?? "" };
  }
  return null;
}

/**
 * @param {Item} item
 * @param {Language} language
 */
function tellEventTime(item, language) {
  const own = item.occurrence?.starts_local;
  if (item.is_recurring && !own) {
    const next = item.occurrence?.next_starts_local ?? item.starts_local;
    const when = item.has_time ? next : next?.split("T")[0];
    return when ? language.say("and_again", { when: language.date(when, DAY) }) : "";
  }
  const [start, end] = own ? [own, item.occurrence?.ends_local] : [item.starts_local, item.ends_local];
  if (!start) return "";
  return item.has_time && end && end > start ? language.range(start, end) : tellStart(item, start, language);
}

/**
 * @param {Item} item
 * @param {string} start
 * @param {Language} language
 */
function tellStart(item, start, language) {
  return language.date(item.has_time ? start : start.split("T")[0]);
}

/**
 * @param {string | null | undefined} start
 * @param {string | null | undefined} end
 * @param {Language} language
 * @param {Intl.DateTimeFormatOptions} [options]
 */
function tellSpan(start, end, language, options) {
  if (!start) return "";
  return end && end > start ? language.range(start, end, options) : language.date(start);
}

/**
 * Where an item is: within the metro, whose name the page says, without the city.
 * @param {Item} item
 * @param {string | undefined} metro
 */
export function tellPlace(item, metro = item.metro) {
  const { place, location } = item;
  const isHome = location?.city?.toLowerCase().replaceAll(" ", "-") === metro;
  const city = isHome && (place?.name || location?.neighborhood) ? null : location?.city;
  const names = [place?.name, location?.neighborhood, city].filter((name) => typeof name === "string");
  if (!place?.name && item.type !== "place" && location?.address) names.unshift(location.address);
  return [...new Set(names)].map(isolate).join(", ");
}

/**
 * A feed's words among others: whichever way they run, what stands beside them keeps its place.
 * @param {string} text
 */
export function isolate(text) {
  return `\u2068${text}\u2069`;
}

/**
 * @param {Item} item
 * @param {Language} language
 */
export function tellPrice(item, language) {
  const price = item.price;
  if (!price) return "";
  if (price.is_free) return language.say("free");
  if (price.min === null) return "";
  const least = language.money(price.min, price.currency);
  return price.max !== null && price.max > price.min
    ? language.say("span", { first: least, last: language.money(price.max, price.currency) })
    : least;
}

/**
 * Whether it is full or nearly so; empty where there is room or nobody knows.
 * @param {Item} item
 * @param {Language} language
 */
export function tellSpots({ is_sold_out: isSoldOut, registration }, language) {
  const spots = registration?.spots_remaining ?? FEW + 1;
  if (isSoldOut || registration?.status === "full" || spots <= 0) return language.say("full");
  return spots <= FEW ? language.plural("spots", spots) : "";
}

/**
 * @param {Item} item
 * @param {Language} language
 */
export function tellAges(item, language) {
  const { min = null, max = null } = item.ages ?? {};
  if (min === null && max === null) return "";
  if (max === null) return language.say("ages_from", { min });
  if (min === null) return language.say("ages_to", { max });
  return min === max ? language.say("ages_one", { min }) : language.say("ages", { min, max });
}
