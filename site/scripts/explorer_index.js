// The explorer of plain files: it reads a metro's index, and filters and searches it in the browser.
import { find } from "./explorer/element.js";
import { readLanguage } from "./explorer/language.js";
import { locate, makeExplorer, makeTables } from "./explorer/start.js";
import { IndexApi } from "./index/index_api.js";

const root = find("explorer", HTMLElement);
const language = readLanguage(root);
const metros = JSON.parse(root.dataset.metros ?? "[]");
const tables = makeTables(root);
const api = new IndexApi(metros, (path) => locate(`${root.dataset.site}${path}`), language, tables);
makeExplorer(/** @type {any} */ (api), language, tables).start();
