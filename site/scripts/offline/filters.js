import { Refusal } from "../explorer/api.js";
import { addDays } from "../explorer/days.js";
import { numberDay } from "./clock.js";

/**
 * @typedef {import("../explorer/language.js").Language} Language
 * @typedef {{kind: string, words?: string[], minimum?: number, maximum?: number}} Parameter
 * @typedef {{collection: string, parameters: Record<string, Parameter>, defaults: Record<string, any>,
 *   window: {from: number | null, to: number | null, most: number}, conditions: any[]}} ListType
 */

/**
 * The values in effect: what a request gives, and the defaults that hold on a date. A date is days since 1970, a clock
 * time seconds of the day.
 * @param {ListType} type
 * @param {URLSearchParams} sent
 * @param {{today: string, language: Language}} about
 * @returns {Map<string, any>}
 */
export function readFilters(type, sent, { today, language }) {
  const values = new Map(Object.entries(type.defaults));
  for (const [name, text] of sent) {
    const parameter = type.parameters[name];
    if (!parameter) throw new Refusal(language.say("offline_unknown", { name }));
    const value = readValue(parameter, text);
    if (value === undefined) throw new Refusal(language.say("offline_wrong", { name, value: text }));
    values.set(name, value);
  }
  fillWindow(type, values, { today, language });
  return values;
}

/**
 * @param {ListType} type
 * @param {Map<string, any>} values
 * @param {{today: string, language: Language}} about
 */
function fillWindow({ window }, values, { today, language }) {
  if (!values.has("from") && window.from !== null) values.set("from", numberDay(addDays(today, window.from)));
  const from = values.get("from");
  if (!values.has("to") && window.to !== null) values.set("to", from + window.to);
  const to = values.get("to");
  if (from !== undefined && to !== undefined && (to < from || to > from + window.most)) {
    throw new Refusal(language.say("offline_window", { days: window.most }));
  }
}

/**
 * Undefined where the text is none of the parameter's values.
 * @param {Parameter} parameter
 * @param {string} text
 */
function readValue({ kind, words, minimum = -Infinity, maximum = Infinity }, text) {
  switch (kind) {
    case "word": {
      const chosen = text.split(",");
      return chosen.every((word) => words?.includes(word)) ? chosen : undefined;
    }
    case "integer":
    case "number": {
      const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
      const isAllowed = number >= minimum && number <= maximum && (kind === "number" || Number.isInteger(number));
      return isAllowed ? number : undefined;
    }
    case "boolean":
      return { true: 1, false: 0 }[text];
    case "date":
      return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? numberDay(text) : undefined;
    case "clock":
    case "minute": {
      const found = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
      return found ? Number(found[1]) * 3600 + Number(found[2]) * 60 + Number(found[3] ?? 0) : undefined;
    }
    case "uuid":
      return text.toLowerCase();
    default:
      return text;
  }
}
