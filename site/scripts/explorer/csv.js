/** @import { Item } from "../../types/api.js" */

/**
 * @param {string[]} fields dotted paths
 * @param {Item[]} rows
 */
export function encodeCsv(fields, rows) {
  const lines = rows.map((row) => fields.map((field) => encodeCell(readPath(row, field))).join(","));
  return [fields.join(","), ...lines, ""].join("\r\n");
}

/**
 * @param {object} row
 * @param {string} path
 */
function readPath(row, path) {
  return path.split(".").reduce((value, name) => Reflect.get(Object(value), name), /** @type {unknown} */ (row));
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it.
 * @param {unknown} value
 */
function encodeCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  let text = Array.isArray(value) ? value.join(" ") : String(value);
  if (/^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {string} name
 * @param {string} text
 */
export function saveFile(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
