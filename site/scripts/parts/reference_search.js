const MOST = 40;

/** @typedef {{ id: string, name: string, about: string, words: string }} Entry */

/** Finds routes, parameters, members, codes and headers by what is written of them. `/` goes to the field. */
export function startSearch() {
  const search = document.getElementById("find-box");
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("find"));
  const found = document.getElementById("found");
  const count = document.getElementById("found-count");
  const index = document.getElementById("index");
  if (!search || !field || !found || !count || !index) return;
  /** @type {Entry[] | null} */
  let entries = null;
  const show = () => {
    entries ??= readEntries();
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = words.length ? rank(entries, words) : [];
    index.hidden = words.length > 0;
    found.replaceChildren(...matches.slice(0, MOST).map(makeItem));
    count.textContent = !words.length
      ? ""
      : matches.length
        ? (count.dataset.some ?? "").replace("{count}", String(matches.length))
        : (count.dataset.none ?? "");
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") found.querySelector("a")?.click();
    if (event.key === "Escape") {
      field.value = "";
      show();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  search.hidden = false;
}

/** @returns {Entry[]} */
function readEntries() {
  const rows = document.querySelectorAll(".route[id], .shape h3[id], .body tr[id]");
  return [...rows].map((row) => {
    const title = row.matches(".route") ? row.querySelector("h3") : (row.querySelector("th code") ?? row);
    const name = (title?.textContent ?? "").replace("GET", "").trim();
    const shape = row.matches(".shape tr") ? `${row.id.split(".")[0]}.` : "";
    const meaning = row.matches(".route") ? row.querySelector("p") : row.querySelector("td:last-child");
    const about =
      (meaning?.firstElementChild?.matches("span") ? meaning.firstElementChild : meaning)?.textContent ?? "";
    return { id: row.id, name: shape + name, about: about.trim(), words: `${row.id} ${name} ${about}`.toLowerCase() };
  });
}

/**
 * Those that have every word; first those whose name is a word, then those whose name begins so, then has one.
 * @param {Entry[]} entries
 * @param {string[]} words
 */
function rank(entries, words) {
  const score = (/** @type {Entry} */ entry) => {
    const name = entry.name.toLowerCase();
    const last = name.split(/[./]/).at(-1) ?? "";
    if (words.includes(name) || words.includes(last)) return 0;
    return words.some((word) => last.startsWith(word)) ? 1 : words.some((word) => name.includes(word)) ? 2 : 3;
  };
  return entries
    .filter((entry) => words.every((word) => entry.words.includes(word)))
    .map((entry, place) => ({ entry, place, score: score(entry) }))
    .sort((one, other) => one.score - other.score || one.place - other.place)
    .map(({ entry }) => entry);
}

/** @param {Entry} entry */
function makeItem(entry) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${entry.id}`;
  link.textContent = entry.name;
  const about = document.createElement("small");
  about.textContent = entry.about.length > 90 ? `${entry.about.slice(0, 88)} …` : entry.about;
  link.append(about);
  item.append(link);
  return item;
}
