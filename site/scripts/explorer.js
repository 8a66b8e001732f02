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
const explorer = new Explorer(root, {
  api,
  language,
  openMap: () => import(new URL(root.dataset.map ?? "", document.baseURI).href),
});
explorer.panel = new RequestPanel(api, language, () => explorer.state);
explorer.search = new SearchBox(api, language, {
  state: () => explorer.state,
  search: (line) => explorer.searchLine(line),
  choose: (suggestion) => explorer.follow(suggestion),
});
explorer.keys = new KeyForm(api, () => explorer.start());
explorer.start();
