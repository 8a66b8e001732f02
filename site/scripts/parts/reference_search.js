const MOST = 40;

/** @typedef {{ id: string, page: string, name: string, about: string }} Entry */

/**
 * Finds routes, parameters, members, codes and headers on all pages of the reference. `/` goes to the field. An address
 * of when the reference was one page leads to where its place is now.
 */
export function startSearch() {
  const search = document.getElementById("find-box");
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("find"));
  const found = document.getElementById("found");
  const count = document.getElementById("found-count");
  const index = document.getElementById("index");
  if (!search || !field || !found || !count || !index) return;
  const base = new URL(search.dataset.base ?? "", document.baseURI);
  /** @type {Promise<Entry[]> | null} */
  let entries = null;
  const read = () => {
    entries ??= fetch(search.dataset.index ?? "").then((answer) => answer.json());
    return entries;
  };
  const show = async () => {
    const all = await read();
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = words.length ? rank(all, words) : [];
    index.hidden = words.length > 0;
    found.replaceChildren(...matches.slice(0, MOST).map((entry) => makeItem(entry, base)));
    count.textContent = !words.length
      ? ""
      : matches.length
        ? (count.dataset.some ?? "").replace("{count}", String(matches.length))
        : (count.dataset.none ?? "");
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", async (event) => {
    if (event.key === "Enter") {
      await show();
      found.querySelector("a")?.click();
    }
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
  const place = decodeURIComponent(location.hash.slice(1));
  if (place && !document.getElementById(place)) void read().then((all) => follow(all, place, base));
}

/**
 * @param {Entry[]} entries
 * @param {string} place
 * @param {URL} base
 */
function follow(entries, place, base) {
  const entry = entries.find(({ id }) => id === place);
  if (entry) location.replace(locate(entry, base));
}

/**
 * @param {Entry} entry
 * @param {URL} base
 */
function locate({ page, id }, base) {
  return new URL(`${page}#${id}`, base).href;
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
    .filter(({ id, name, about }) => {
      const text = `${id} ${name} ${about}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map((entry, place) => ({ entry, place, score: score(entry) }))
    .sort((one, other) => one.score - other.score || one.place - other.place)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {URL} base
 */
function makeItem(entry, base) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = locate(entry, base);
  link.textContent = entry.name;
  const about = document.createElement("small");
  const text = entry.about.replaceAll("`", "");
  about.textContent = text.length > 90 ? `${text.slice(0, 88)} …` : text;
  link.append(about);
  item.append(link);
  return item;
}
