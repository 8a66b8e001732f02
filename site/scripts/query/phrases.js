/** Reads the program's tables of words (outings/contract/languages), and the words of a query as they are folded. */

/** What matches nothing, in place of an empty table. */
export const NEVER = "(?!)";

/**
 * A text without case and accents, in which signs that mean nothing part words.
 * @param {string} text
 */
export function foldLine(text) {
  return text
    .replace(/['’‘ʼ`´]/g, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", " and ")
    .replace(/[–—−]/g, "-")
    .replace(/[^\p{L}\p{N}+$€£%.:/,\- ]+/gu, " ")
    .replace(/[.,:;]+(?=\s|$)/g, " ")
    .trim();
}

/**
 * The regular expression of a table's phrases: a list has commas, and `year{|s}` is "year" and "years".
 * @param {string | undefined} phrases
 */
export function writePattern(phrases) {
  const list = (phrases ?? "").split(",").map((phrase) => phrase.trim());
  const written = list.filter(Boolean).map((phrase) =>
    phrase
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/[.+*?^$()[\]\\]/g, "\\$&")
      .replaceAll("{", "(?:")
      .replaceAll("}", ")")
      .replaceAll(" ", "[ -]"),
  );
  return written.sort((one, other) => other.length - one.length).join("|") || NEVER;
}

/** @param {string} pattern */
function foldPattern(pattern) {
  return pattern.normalize("NFKD").replace(/\p{M}/gu, "");
}

/** The words of a query that are not yet understood. */
export class Line {
  /** @param {string} text */
  constructor(text) {
    this.words = text
      .split(/\s+/)
      .map((written) => ({ written: written.replace(/^[("“”]+|[)"“”,;.!?]+$/g, ""), folded: foldLine(written) }))
      .filter(({ folded }) => folded);
  }

  get text() {
    return this.words.map(({ folded }) => folded).join(" ");
  }

  get written() {
    return this.words.map(({ written }) => written).join(" ");
  }

  /**
   * Takes whole words out that match, and returns what its groups matched; null where nothing does.
   * @param {string} pattern
   * @returns {string[] | null}
   */
  take(pattern) {
    const match = new RegExp(`(?<=^|\\s)(?:${foldPattern(pattern)})(?=\\s|$)`, "iu").exec(this.text);
    if (!match) return null;
    this.drop(match.index, match.index + match[0].length);
    return match.slice(1).filter((group) => group !== undefined);
  }

  /**
   * Takes out what stands behind some words, with these, and returns it as it was written; empty where nothing does.
   * @param {string} pattern
   */
  takeBehind(pattern) {
    const before = this.words.length;
    const rest = new RegExp(`(?<=^|\\s)(?:${foldPattern(pattern)}) (?=\\S)`, "iu").exec(this.text);
    if (!rest) return "";
    const named = rest[0].trim().split(" ").length;
    const dropped = this.drop(rest.index, this.text.length);
    return this.words.length < before ? dropped.split(" ").slice(named).join(" ") : "";
  }

  /**
   * Takes the words between two characters of the text out, and returns them as they were written.
   * @param {number} start
   * @param {number} end
   */
  drop(start, end) {
    let at = 0;
    /** @type {string[]} */
    const dropped = [];
    this.words = this.words.filter(({ written, folded }) => {
      const isMet = at < end && at + folded.length > start;
      at += folded.length + 1;
      if (isMet) dropped.push(written);
      return !isMet;
    });
    return dropped.join(" ");
  }
}
