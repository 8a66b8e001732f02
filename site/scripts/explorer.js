// The explorer of a site: it asks the API as any client does, and its address is the page's.
import { Api } from "./explorer/api.js";
import { find } from "./explorer/element.js";
import { KeyForm } from "./explorer/key_form.js";
import { readLanguage } from "./explorer/language.js";
import { RequestPanel } from "./explorer/request_panel.js";
import { makeExplorer, makeTables } from "./explorer/start.js";

const root = find("explorer", HTMLElement);
const api = new Api(root.dataset.api ?? "", root.dataset.key ?? "");
const language = readLanguage(root);
const explorer = makeExplorer(api, language, makeTables(root));
explorer.panel = new RequestPanel(api, language, () => explorer.state);
explorer.keys = new KeyForm(api, () => explorer.start());
explorer.start();
