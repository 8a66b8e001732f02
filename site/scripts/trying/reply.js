import { addCopyButtons } from "../parts/copy.js";
import { colorJson } from "../parts/json_code.js";

/**
 * What the API says of itself in `error`.
 * @typedef {{ code: string, message: string, details?: { param?: string } }} Failure
 */

// More than that makes the page slow to scroll.
const MOST_SHOWN = 200_000;
const MOST_COLORED = 50_000;

/** What came back: status and time, what to do about a failure, headers and body. */
export class Reply {
  /**
   * @param {HTMLElement} frame
   * @param {Record<string, string>} words
   */
  constructor(frame, words) {
    const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (frame.querySelector(selector));
    this.frame = frame;
    this.words = words;
    this.status = find(".told-status");
    this.advice = find(".advice");
    this.answered = find(".answered");
    this.headers = find(".told-headers code");
    this.body = find(".answer code");
    addCopyButtons(frame);
  }

  /**
   * @param {string} text
   * @param {"" | "good" | "bad"} kind
   * @param {string} [advice]
   */
  tell(text, kind, advice = "") {
    this.status.textContent = text;
    this.status.dataset.kind = kind;
    this.advice.textContent = advice;
    if (!kind || !this.answered.hidden) this.answered.hidden = true;
  }

  /**
   * @param {Response} answer
   * @param {string} body
   * @param {{ time: number, hasKey: boolean }} about
   * @returns {Failure | null}
   */
  show(answer, body, { time, hasKey }) {
    const { words } = this;
    const media = answer.headers.get("Content-Type") ?? "";
    const value = media.startsWith("application/json") ? JSON.parse(body) : null;
    /** @type {Failure | null} */
    const failure = answer.ok ? null : (value?.error ?? null);
    const told = words.told.replace("{status}", String(answer.status)).replace("{time}", String(time));
    this.tell(
      told.replace("{size}", formatSize(body.length)),
      answer.ok ? "good" : "bad",
      failure ? advise(failure, answer.headers, hasKey, words) : "",
    );
    this.headers.textContent = [...answer.headers].map(([name, text]) => `${name}: ${text}`).join("\n");
    this.body.textContent = this.#write(value ? JSON.stringify(value, null, 2) : body, media);
    if (value && body.length < MOST_COLORED) colorJson(this.body);
    this.answered.hidden = false;
    return failure;
  }

  /**
   * @param {string} text
   * @param {string} media
   */
  #write(text, media) {
    if (media.includes("parquet") || text === "") return this.words.none;
    if (text.length <= MOST_SHOWN) return text;
    return `${text.slice(0, MOST_SHOWN)}\n${this.words.cut.replace("{size}", formatSize(text.length))}`;
  }
}

/**
 * What a failure means for whoever sits before the form, and what to do.
 * @param {Failure} failure
 * @param {Headers} headers
 * @param {boolean} hasKey
 * @param {Record<string, string>} words
 */
function advise({ code }, headers, hasKey, words) {
  const seconds = Number(headers.get("Retry-After") ?? 0);
  if (code === "bad_request") return words.bad_request;
  if (code === "unauthorized") return hasKey ? words.key_unknown : words.key_missing;
  if (code === "forbidden") return words.forbidden;
  if (code === "include_not_permitted") return words.add_on;
  if (code === "not_found") return words.not_found;
  if (code === "rate_limited") return words.rate.replace("{seconds}", String(seconds));
  if (code === "quota_exceeded") {
    return words.quota.replace("{day}", new Date(Date.now() + seconds * 1000).toISOString().slice(0, 10));
  }
  return code === "not_implemented" ? words.not_here : words.broken;
}

/** @param {number} length */
function formatSize(length) {
  return (length / 1000).toFixed(length < 10_000 ? 1 : 0);
}
