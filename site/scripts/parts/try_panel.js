const KEPT = "key";
// More than that makes the page slow to scroll.
const MOST_SHOWN = 200_000;

/** Each route gets a form on request. The key stays in this tab, and goes to the server that the page came from alone. */
export function startTrying() {
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button.try"))) {
    button.hidden = false;
    button.addEventListener("click", () => openPanel(button), { once: true });
  }
}

/** @param {HTMLButtonElement} button */
function openPanel(button) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("try-panel"));
  const route = /** @type {HTMLElement} */ (button.closest(".route"));
  const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const form = /** @type {HTMLFormElement} */ (copy.querySelector("form"));
  const { key, address, parameter } = readFields(form);
  address.value = route.dataset.request ?? "";
  key.value = readKey() || (form.dataset.key ?? "");
  if (!("keyed" in route.dataset)) form.querySelector(".key-field")?.remove();
  for (const [name, example] of listParameters(route)) parameter.append(new Option(name, `${name}=${example}`));
  if (parameter.options.length === 1) parameter.closest("label")?.remove();
  parameter.addEventListener("change", () => {
    if (parameter.value) address.value += (address.value.includes("?") ? "&" : "?") + parameter.value;
    parameter.value = "";
    address.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
  button.parentElement?.replaceWith(form);
  (key.isConnected && !key.value ? key : address).focus();
}

/** @param {HTMLFormElement} form */
function readFields(form) {
  const find = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  return { key: find("key"), address: find("address"), parameter: /** @type {any} */ (find("parameter")) };
}

/**
 * The parameters that the route's table has, and those of the list that it is like, with what they are tried with.
 * @param {HTMLElement} route
 * @returns {[string, string][]}
 */
function listParameters(route) {
  const like = document.getElementById(route.dataset.like ?? "");
  const links = [route, like].flatMap((each) => (each ? [...each.querySelectorAll('tbody a[href^="#parameter-"]')] : []));
  return [...new Set(links.map((link) => link.textContent ?? ""))].map((name) => {
    const row = document.getElementById(`parameter-${name}`);
    return [name, encodeURIComponent(row?.dataset.example ?? "").replaceAll("%2C", ",")];
  });
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const { key, address } = readFields(form);
  const said = form.dataset;
  const text = key?.value.trim() ?? "";
  if (key) keepKey(text);
  tell(form, said.sending ?? "", "");
  const began = performance.now();
  try {
    const url = new URL(address.value.replace(/^\/+/, ""), new URL("..", location.href));
    if (url.origin !== location.origin) throw new TypeError(url.origin);
    const answer = await fetch(url, { headers: text ? { "X-API-Key": text } : {}, cache: "no-store", credentials: "omit" });
    const body = await answer.text();
    // Every answer of the API has it, and none of a host of files.
    if (!answer.headers.has("X-Request-Id")) throw new TypeError(answer.url);
    const time = Math.round(performance.now() - began);
    tell(form, explain(form, answer, text, { time, length: body.length }), answer.ok ? "good" : "bad");
    show(form, answer, body);
  } catch {
    tell(form, said.failed ?? "", "bad");
    show(form, null, "");
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Response} answer
 * @param {string} key
 * @param {{ time: number, length: number }} measured
 */
function explain(form, answer, key, measured) {
  const said = form.dataset;
  if (answer.status === 401) return (key ? said.unknown : said.empty) ?? "";
  if (answer.status === 429) return (said.limited ?? "").replace("{seconds}", answer.headers.get("Retry-After") ?? "");
  return (said.told ?? "").replace("{status}", String(answer.status)).replace("{time}", String(measured.time))
    .replace("{size}", formatSize(measured.length));
}

/**
 * @param {HTMLFormElement} form
 * @param {Response | null} answer
 * @param {string} body
 */
function show(form, answer, body) {
  const block = /** @type {HTMLElement} */ (form.querySelector("pre"));
  const code = /** @type {HTMLElement} */ (form.querySelector("pre code"));
  block.hidden = answer === null;
  const media = answer?.headers.get("Content-Type") ?? "";
  if (media.includes("parquet") || body === "") {
    code.textContent = form.dataset.none ?? "";
    return;
  }
  const whole = media.startsWith("application/json") ? JSON.stringify(JSON.parse(body), null, 2) : body;
  const rest = (form.dataset.cut ?? "").replace("{size}", formatSize(whole.length));
  code.textContent = whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}\n${rest}` : whole;
}

/**
 * @param {HTMLFormElement} form
 * @param {string} text
 * @param {string} kind
 */
function tell(form, text, kind) {
  const status = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
  status.textContent = text;
  status.dataset.kind = kind;
}

/** @param {number} length */
function formatSize(length) {
  return (length / 1000).toFixed(length < 10_000 ? 1 : 0);
}

function readKey() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} key */
function keepKey(key) {
  try {
    sessionStorage.setItem(KEPT, key);
  } catch {
    // Storage may be switched off: the key stays in its field.
  }
}
