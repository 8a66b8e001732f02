// The explorer of a site: it asks the API as any client does, and its address is the page's.
import { Api } from "./explorer/api.js";
import { find } from "./explorer/element.js";
import { Explorer } from "./explorer/explorer.js";
import { KeyForm } from "./explorer/key_form.js";
import { readLanguage } from "./explorer/language.js";
import { RequestPanel } from "./explorer/request_panel.js";
import { SearchBox } from "./explorer/search_box.js";

const root = find("explorer", HTMLElement);
const api = new Api(root.dataset.api ?? "", root.dataset.key ?? "");
const language = readLanguage(root);

/** @param {string | undefined} path */
function locate(path) {
  return new URL(path ?? "", document.baseURI).href;
}

/**
 * The neighborhoods that the build drew; none where it drew none.
 * @param {string} metro
 */
async function readOutlines(metro) {
  const answer = await fetch(locate(`${root.dataset.site}cities/${metro}/outlines.json`)).catch(() => null);
  return answer?.ok ? answer.json() : { type: "FeatureCollection", features: [] };
}

const explorer = new Explorer(root, {
  api,
  language,
  openMap: async (metro) => {
    const [{ openMap }, outlines] = await Promise.all([import(locate(root.dataset.map)), readOutlines(metro)]);
    const { basemap, tiles, zoom, credit } = root.dataset;
    if (!basemap || !tiles) return { openMap, outlines, basemap: null };
    const load = () => import(locate(basemap));
    return { openMap, outlines, basemap: { load, url: locate(tiles), zoom: Number(zoom), credit: credit ?? "" } };
  },
});
explorer.panel = new RequestPanel(api, language, () => explorer.state);
explorer.search = new SearchBox(api, language, {
  state: () => explorer.state,
  search: (line) => explorer.line.searchLine(line),
  choose: (suggestion) => explorer.follow(suggestion),
});
explorer.keys = new KeyForm(api, () => explorer.start());
explorer.start();
