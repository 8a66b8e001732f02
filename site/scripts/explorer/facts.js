import { addDays } from "./days.js";

/** @import { Item } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./arrange.js").Row} Row
 */

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "short", day: "numeric", month: "short" };
/** @type {Intl.DateTimeFormatOptions} */
const TERM = { day: "numeric", month: "short", year: "numeric" };
const MONDAY = "2024-01-01";
const FEW = 5;
const FULL = ["full", "closed", "waitlist"];

/**
 * When something is, in one line; empty where nothing is stated. In a short window a class says its meeting, not its
 * term.
 * @param {Row} item
 * @param {Language} language
 * @param {boolean} [isShort]
 */
export function tellTime(item, language, isShort = false) {
  if (item.type === "event")
    return item.occurrence || item.is_recurring !== undefined
      ? tellEventTime(item, language)
      : tellStart(item, language);
  if (item.type === "camp") return tellSpan(item.starts_on, item.ends_on, language) || tellStart(item, language);
  if (item.type === "class") {
    if (isShort && item.moment) return tellMoment(item.moment, language);
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
function tellStart(item, language) {
  return item.starts_local ? language.date(item.starts_local.replace("T00:00:00", ""), DAY) : "";
}

/**
 * @param {import("./meetings.js").Moment} moment
 * @param {Language} language
 */
function tellMoment({ start, end }, language) {
  return end ? language.range(start, end, DAY) : language.date(start, DAY);
}

/**
 * The time of day alone; empty where only the day is known.
 * @param {Row} item
 * @param {Language} language
 */
export function tellClock({ moment }, language) {
  const [day, start] = (moment?.start ?? "").split("T");
  const [last, end] = (moment?.end ?? "").split("T");
  return start ? language.clock(start, last === day ? end : null) : "";
}

/**
 * @param {string} day
 * @param {Language} language
 */
function tellWeekday(day, language) {
  return language.date(addDays(MONDAY, WEEKDAYS.indexOf(day)), { weekday: "short" });
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
  if (item.has_time && end && end > start) return language.range(start, end);
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
 * @param {number} [most] what was asked for: a price that goes beyond it says where it begins
 */
export function tellPrice(item, language, most = Number.POSITIVE_INFINITY) {
  const price = item.price;
  if (!price) return "";
  if (price.is_free) return language.say("free");
  if (price.min === null) return "";
  const least = language.money(price.min, price.currency);
  if (price.max === null || price.max <= price.min) return least;
  if (price.max > most) return language.say("price_from", { price: least });
  return language.say("span", { first: least, last: language.money(price.max, price.currency) });
}

/**
 * Whether it is full or nearly so; empty where there is room or nobody knows.
 * @param {Item} item
 * @param {Language} language
 */
export function tellSpots({ is_sold_out: isSoldOut, registration }, language) {
  const spots = registration?.spots_remaining ?? FEW + 1;
  if (isSoldOut || FULL.includes(registration?.status ?? "") || spots <= 0) return language.say("full");
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
