import { find } from "./element.js";
import { Explorer } from "./explorer.js";
import { SearchBox } from "./search_box.js";

/**
 * Makes the explorer of the page, whatever answers its requests.
 * @param {import("./api.js").Api} api
 * @param {import("./language.js").Language} language
 */
export function makeExplorer(api, language) {
  const root = find("explorer", HTMLElement);
  const explorer = new Explorer(root, {
    api,
    language,
    openMap: async (metro) => {
      const [{ openMap }, outlines] = await Promise.all([import(locate(root.dataset.map)), readOutlines(root, metro)]);
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

/** @param {string | undefined} path */
export function locate(path) {
  return new URL(path ?? "", document.baseURI).href;
}

/**
 * The neighborhoods that the build drew; none where it drew none.
 * @param {HTMLElement} root
 * @param {string} metro
 */
async function readOutlines(root, metro) {
  const answer = await fetch(locate(`${root.dataset.site}cities/${metro}/outlines.json`)).catch(() => null);
  return answer?.ok ? answer.json() : { type: "FeatureCollection", features: [] };
}
