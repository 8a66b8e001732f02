const SVG = "http://www.w3.org/2000/svg";
// Lines in a square of 24, by topic, then by kind.
/** @type {Record<string, string>} */
const DRAWINGS = {
  arts_creative: "M4 20l4-1L20 7l-3-3L5 16zM14 7l3 3",
  sports_active_play: "M12 3a9 9 0 100 18 9 9 0 000-18M3 12h18M12 3c4 5 4 13 0 18M12 3c-4 5-4 13 0 18",
  storytime_books: "M12 6c-2-2-6-2-9-1v13c3-1 7-1 9 1 2-2 6-2 9-1V5c-3-1-7-1-9 1zM12 6v13",
  music_movement: "M9 18V5l10-2v13M9 18a3 3 0 11-6 0 3 3 0 016 0M19 16a3 3 0 11-6 0 3 3 0 016 0",
  social_play_spaces: "M3 13h8v8H3zM13 13h8v8h-8zM8 3h8v8H8z",
  stem_discovery: "M9 3h6M10 3v6L4 19c-1 1 0 2 1 2h14c1 0 2-1 1-2L14 9V3M7 15h10",
  nature_outdoors: "M12 3l6 8h-3l4 6H5l4-6H6zM12 17v4",
  animals_farms: "M12 13c-3 0-5 3-5 5s3 2 5 2 5 0 5-2-2-5-5-5zM6 9v2M10 5v3M14 5v3M18 9v2",
  museums_exhibits: "M3 9l9-6 9 6zM4 20h16M6 11v7M10 11v7M14 11v7M18 11v7",
  theater_shows: "M4 4h16v8a8 8 0 01-16 0zM8 9h2M14 9h2M9 14c2 2 4 2 6 0",
  dance_gymnastics: "M12 3v.1M12 7v7M5 9l7 1 7-3M12 14l-5 7M12 14l6 5",
  swim_water: "M3 8c3-3 5 3 9 0s6 3 9 0M3 13c3-3 5 3 9 0s6 3 9 0M3 18c3-3 5 3 9 0s6 3 9 0",
  food_cooking: "M4 11h16v4a5 5 0 01-5 5H9a5 5 0 01-5-5zM8 7V4M12 7V3M16 7V4",
  festivals_seasonal: "M12 3l3 6 6 1-4 4 1 7-6-3-6 3 1-7-4-4 6-1z",
  language_culture: "M4 5h16v11h-9l-5 4v-4H4z",
  parent_baby: "M12 20C4 14 3 10 4 7c2-4 7-3 8 0 1-3 6-4 8 0 1 3 0 7-8 13z",
  place: "M12 21c-5-6-7-9-7-12a7 7 0 0114 0c0 3-2 6-7 12zM12 9v.1",
  other: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5",
};

/**
 * The listing's picture if the build may have one, else a drawing of its first topic.
 * @param {{id: string, type: string, categories?: string[], image_url?: string | null}} item
 * @param {string} metro
 */
export function makePicture(item, metro) {
  const drawing = draw(item);
  const { pictures = "[]", site = "" } =
    /** @type {HTMLElement | null} */ (document.querySelector("[data-pictures]"))?.dataset ?? {};
  if (!item.image_url || !JSON.parse(pictures).includes(new URL(item.image_url).host)) return drawing;
  const picture = new Image();
  picture.className = "picture";
  picture.alt = "";
  picture.loading = "lazy";
  picture.onerror = () => picture.replaceWith(drawing); // the build could not fetch it
  picture.src = `${site}cities/${metro}/pictures/${item.id}.webp`;
  return picture;
}

/** @param {{type: string, categories?: string[]}} item */
function draw({ type, categories }) {
  const name = [...(categories ?? []), type].find((word) => word in DRAWINGS) ?? "other";
  const drawing = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ class: "picture", viewBox: "0 0 24 24", "aria-hidden": "true" }))
    drawing.setAttribute(key, value);
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", DRAWINGS[name]);
  drawing.append(line);
  return drawing;
}
