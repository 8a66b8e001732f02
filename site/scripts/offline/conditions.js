/**
 * The few kinds of condition that a filter can make, as the server has them. Which filter makes which stands in the
 * folder's data: no filter has a rule here.
 *
 * @typedef {import("./table.js").Table} Table
 * @typedef {number | string | boolean | null | {given: string, less?: number, as?: string}} Value
 * @typedef {(row: number) => boolean} Test
 */

/**
 * @param {any} condition
 * @param {Table} table
 * @param {Map<string, any>} values those in effect
 * @returns {Test}
 */
export function makeTest(condition, table, values) {
  const column = table.columns[condition.column];
  switch (condition.kind) {
    case "any_of": {
      const numbers = listNumbers(condition, values);
      return (row) => numbers.has(column[row]);
    }
    case "shares": {
      const numbers = listNumbers(condition, values);
      const holds = table.sets[condition.column].map((set) => set.some((number) => numbers.has(number)));
      return (row) => holds[/** @type {number} */ (column[row])];
    }
    case "is": {
      const value = readValue(condition.value, values);
      return (row) => column[row] === value;
    }
    case "between": {
      const [low, high] = readBounds(condition, values);
      return (row) => column[row] >= low && column[row] <= high; // of what is not stated neither holds
    }
    case "overlaps": {
      const [low, high] = readBounds(condition, values);
      const [first, last] = [table.numbers(condition.first), table.numbers(condition.last)];
      return (row) => !(last[row] < low) && !(first[row] > high); // an end that is not stated is open
    }
    case "either": {
      const sides = condition.alternatives.map((/** @type {any[]} */ side) => side.map((each) => makeTest(each, table, values)));
      return (row) => sides.some((/** @type {Test[]} */ side) => side.every((test) => test(row)));
    }
    default:
      throw new Error(`there is no condition of the kind ${condition.kind}`);
  }
}

/**
 * @param {any} condition
 * @param {Map<string, any>} values
 * @returns {Set<any>}
 */
function listNumbers(condition, values) {
  const chosen = values.get(condition.given);
  return new Set(chosen.flatMap((/** @type {string} */ word) => condition.words[word]));
}

/**
 * @param {any} condition
 * @param {Map<string, any>} values
 */
function readBounds(condition, values) {
  return [readValue(condition.low, values) ?? -Infinity, readValue(condition.high, values) ?? Infinity];
}

/**
 * As columns have it.
 * @param {Value} value
 * @param {Map<string, any>} values
 */
function readValue(value, values) {
  if (typeof value === "boolean") return Number(value);
  if (value === null || typeof value !== "object") return value;
  const given = values.get(value.given);
  if (given === undefined) return null;
  if (value.as === "lower") return given.toLowerCase();
  if (value.as === "folded") return foldText(given);
  return typeof given === "number" ? given - (value.less ?? 0) : given;
}

/**
 * Without case, accents and punctuation.
 * @param {string} text
 */
function foldText(text) {
  const plain = text.normalize("NFKD").toLowerCase().normalize("NFKD").replace(/[\p{M}\p{P}]/gu, "");
  return plain.toLowerCase().split(/\s+/u).filter(Boolean).join(" ");
}
