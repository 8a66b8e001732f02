import { Languages } from "../query/tables.js";
import { Failure } from "./api.js";
import { find } from "./element.js";
import { Explorer } from "./explorer.js";
import { SearchBox } from "./search_box.js";

/**
 * Makes the explorer of the page, whatever answers its requests.
 * @param {import("./api.js").Api} api
 * @param {import("./language.js").Language} language
 * @param {() => Promise<Languages>} readTables
 */
export function makeExplorer(api, language, readTables) {
  const root = find("explorer", HTMLElement);
  const explorer = new Explorer(root, {
    api,
    language,
    readTables,
    openMap: async (metro) => {
      const [{ openMap }, outlines] = await Promise.all([
        import(locate(root.dataset.map)),
        readOutlines(root, metro, api),
      ]);
      const { basemap, tiles, zoom, credit } = root.dataset;
      if (!basemap || !tiles) return { openMap, outlines, basemap: null };
      const load = () => import(locate(basemap));
      return { openMap, outlines, basemap: { load, url: locate(tiles), zoom: Number(zoom), credit: credit ?? "" } };
    },
  });
  explorer.search = new SearchBox(api, language, {
    state: () => explorer.state,
    search: (line) => explorer.line.searchLine(line),
    choose: (suggestion) => explorer.follow(suggestion),
  });
  return explorer;
}

/**
 * Reads the words by which a query is understood, once, when somebody searches.
 * @param {HTMLElement} root
 * @returns {() => Promise<Languages>}
 */
export function makeTables(root) {
  /** @type {Promise<Languages> | null} */
  let read = null;
  const load = async () => {
    const answer = await fetch(locate(root.dataset.tables));
    if (!answer.ok) throw new Failure(answer.status, answer.statusText);
    return new Languages(await answer.json());
  };
  return () => {
    read ??= load();
    read.catch(() => {
      read = null;
    });
    return read;
  };
}

/** @param {string | undefined} path */
export function locate(path) {
  return new URL(path ?? "", document.baseURI).href;
}

/**
 * The neighborhoods that the build drew; their names alone where it drew none.
 * @param {HTMLElement} root
 * @param {string} metro
 * @param {import("./api.js").Api} api
 */
async function readOutlines(root, metro, api) {
  const answer = await fetch(locate(`${root.dataset.site}cities/${metro}/outlines.json`)).catch(() => null);
  const drawn = answer?.ok ? await answer.json() : null;
  if (drawn?.features.length) return drawn;
  /** @type {import("../../types/api.js").Body<import("../../types/api.js").Neighborhood[]>} */
  const { data } = await api.read(`${encodeURIComponent(metro)}/neighborhoods?limit=200`);
  const features = data.flatMap(({ name, bounds }) =>
    bounds
      ? {
          type: "Feature",
          geometry: null,
          properties: { name, at: [(bounds.south + bounds.north) / 2, (bounds.west + bounds.east) / 2] },
        }
      : [],
  );
  return { type: "FeatureCollection", features };
}
