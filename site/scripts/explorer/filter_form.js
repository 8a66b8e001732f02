import { CHOICES } from "./chips.js";
import { element, find } from "./element.js";
import { TIMES } from "./line.js";
import { changeFilters, changeType, EVERY_TYPE, listFilters } from "./state.js";

/** @import { FacetValue, Facets, Metro, Neighborhood, OrganizationCount } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 */

const PAUSE = 400;
const FLAGS = ["indoor", "outdoor", "sensory", "openings"];
// Beside the results the form has its place; below this width a button opens it as a sheet.
const BESIDE = matchMedia("(min-width: 62rem)");

/** The filters, as the state has them, with the counts of the last answer beside them. */
export class FilterForm {
  /**
   * @param {Language} language
   * @param {object} page
   * @param {(change: (state: State) => State) => void} page.change
   * @param {(words: string) => void} page.findNear looks for a place by its name
   * @param {() => void} page.locate asks where the visitor is
   */
  constructor(language, page) {
    this.language = language;
    this.change = page.change;
    this.findNear = page.findNear;
    this.form = find("filters", HTMLFormElement);
    this.sheet = find("sheet", HTMLDialogElement);
    this.type = EVERY_TYPE;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    for (const control of [this.form, find("types", HTMLFieldSetElement), find("metro", HTMLSelectElement)]) {
      control.addEventListener("change", (event) => this.#read(/** @type {HTMLInputElement} */ (event.target)));
    }
    this.#pauseTyping();
    find("clear", HTMLButtonElement).addEventListener("click", () => {
      this.change((state) => ({ ...state, filters: new Map(), page: 1, listing: "" }));
    });
    find("locate", HTMLButtonElement).addEventListener("click", page.locate);
    const where = find("where", HTMLInputElement);
    where.addEventListener("input", () => this.#suggestColumns(where));
    where.addEventListener("focus", () => this.#suggestColumns(where));
    this.#fillChoices("weekday", (find("weekday", HTMLElement).dataset.values ?? "").split(","));
    this.#openSheet();
  }

  /** The form stands beside the results, or in a sheet over them. */
  #openSheet() {
    const place = () => {
      this.sheet.close();
      (BESIDE.matches ? find("side", HTMLElement) : this.sheet).append(this.form);
    };
    BESIDE.addEventListener("change", place);
    place();
    find("sheet-open", HTMLButtonElement).addEventListener("click", () => this.sheet.showModal());
    find("sheet-close", HTMLButtonElement).addEventListener("click", () => this.sheet.close());
    this.sheet.addEventListener("click", (event) => event.target === this.sheet && this.sheet.close());
  }

  /**
   * On the button that closes the sheet.
   * @param {number} total
   */
  showTotal(total) {
    find("sheet-close", HTMLButtonElement).textContent =
      total === 1 ? this.language.say("show_one") : this.language.say("show", { count: total });
  }

  /**
   * What a list calls a value.
   * @param {string} id
   * @param {string} value
   */
  name(id, value) {
    const option = [...find(id, HTMLSelectElement).options].find((own) => own.value === value);
    return option?.dataset.name ?? option?.textContent ?? value;
  }

  /**
   * What may stand in place of the word that is being typed: the members of the collection's listings that begin so.
   * @param {HTMLInputElement} input
   */
  #suggestColumns(input) {
    const [before, word] = [input.value.replace(/[\w.]*$/, ""), /[\w.]*$/.exec(input.value)?.[0] ?? ""];
    const columns = JSON.parse(input.dataset.columns ?? "{}")[this.type].filter((/** @type {string} */ column) =>
      column.startsWith(word),
    );
    find("columns", HTMLDataListElement).replaceChildren(
      ...columns.map((/** @type {string} */ column) => element("option", { value: before + column })),
    );
  }

  /** A number is taken when the typing stops, before the field is left. */
  #pauseTyping() {
    let timer = 0;
    const age = find("age", HTMLInputElement);
    age.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#read(age), PAUSE);
    });
  }

  /** @param {HTMLInputElement} input */
  #read(input) {
    if (!input.checkValidity() && !input.value) return;
    switch (input.name || input.id) {
      case "metro":
        return this.change((state) => ({ ...state, metro: input.value, filters: new Map(), page: 1, listing: "" }));
      case "type":
        return this.change((state) => changeType(state, input.value));
      case "near":
        return input.value.trim() ? this.findNear(input.value.trim()) : this.#set({ near: "", lat: "", lng: "" });
      case "indoor":
      case "outdoor":
      case "sensory":
      case "openings":
        return this.#set({ [input.name]: input.checked ? "true" : "" });
      case "price":
        return this.#set({
          free: input.value === "free" ? "true" : "",
          max_price: input.value === "free" ? "" : input.value,
        });
      case "time": {
        const [start, end] = TIMES[input.value] ?? ["", ""];
        return this.#set({ start_after: start, start_before: end });
      }
      case "category":
      case "weekday":
        return this.#set({ [input.name]: this.#listChecked(input.name) });
      default:
        return this.#set({ [input.name]: input.checkValidity() ? input.value : "" });
    }
  }

  /** @param {Record<string, string>} changes */
  #set(changes) {
    this.change((state) => changeFilters(state, changes));
  }

  /** @param {string} name */
  #listChecked(name) {
    const boxes = find(name, HTMLElement).querySelectorAll("input:checked");
    return [...boxes].map((box) => /** @type {HTMLInputElement} */ (box).value).join(",");
  }

  /** @param {Metro[]} metros */
  fillMetros(metros) {
    const options = metros.map((metro) => element("option", { value: metro.slug }, metro.name));
    find("metro", HTMLSelectElement).replaceChildren(...options);
  }

  /** @param {Neighborhood[]} neighborhoods */
  fillNeighborhoods(neighborhoods) {
    const options = neighborhoods.map((area) => element("option", { value: area.slug }, area.name));
    find("neighborhood", HTMLSelectElement).replaceChildren(
      element("option", { value: "" }, this.language.say("any")),
      ...options,
    );
  }

  /**
   * How many there are of each collection. What is not known has no number.
   * @param {Record<string, number | undefined>} counts
   */
  showTypes(counts) {
    const every = Object.values(counts);
    const all =
      every.length === 4 && every.every((total) => total !== undefined)
        ? every.reduce((sum, total) => (sum ?? 0) + (total ?? 0), 0)
        : undefined;
    counts = { all, ...counts };
    for (const node of find("types", HTMLElement).querySelectorAll("[data-type]")) {
      const count = counts[/** @type {HTMLElement} */ (node).dataset.type ?? ""];
      node.textContent = count === undefined ? "" : this.language.count(count);
    }
  }

  /** @param {State} state */
  show(state) {
    find("metro", HTMLSelectElement).value = state.metro;
    const type = find("types", HTMLElement).querySelector(`[value="${state.type}"]`);
    if (type instanceof HTMLInputElement) type.checked = true;
    for (const node of this.form.querySelectorAll("[data-dated]")) {
      /** @type {HTMLElement} */ (node).hidden = state.type === "places";
    }
    const own = listFilters(state.type);
    for (const name of FLAGS) {
      const label = this.form.querySelector(`[data-flag="${name}"]`);
      const box = label?.querySelector("input");
      if (!(label instanceof HTMLElement) || !box) continue;
      label.hidden = !own.includes(name);
      box.checked = state.filters.get(name) === "true";
    }
    find("to", HTMLInputElement).min = state.filters.get("from") ?? "";
    this.type = state.type;
    const expert = find("expert", HTMLDetailsElement);
    expert.hidden = !own.includes("where");
    if (state.filters.has("where")) expert.open = true;
    for (const name of ["from", "to", "age", "near", "where"]) {
      const input = find(name, HTMLInputElement);
      if (document.activeElement !== input || !input.value) input.value = state.filters.get(name) ?? "";
    }
    find("price", HTMLSelectElement).value =
      state.filters.get("free") === "true" ? "free" : (state.filters.get("max_price") ?? "");
    find("time", HTMLSelectElement).value = this.#findTime(state);
    for (const name of ["neighborhood", "organization_id"])
      this.#choose(find(name, HTMLSelectElement), state.filters.get(name) ?? "");
    for (const name of /** @type {const} */ (["category", "weekday"])) {
      const chosen = (state.filters.get(name) ?? "").split(",");
      for (const box of find(name, HTMLElement).querySelectorAll("input")) box.checked = chosen.includes(box.value);
    }
    const choices = CHOICES.filter((names) => names.some((name) => state.filters.has(name))).length;
    find("clear", HTMLButtonElement).disabled = state.filters.size === 0;
    find("filter-count", HTMLElement).textContent = choices ? `(${this.language.count(choices)})` : "";
  }

  /** @param {State} state */
  #findTime(state) {
    const [start, end] = [state.filters.get("start_after") ?? "", state.filters.get("start_before") ?? ""];
    return Object.entries(TIMES).find(([, [first, last]]) => first === start && last === end)?.[0] ?? "";
  }

  /**
   * Also where the choice is not among the options, as in an address that was sent.
   * @param {HTMLSelectElement} select
   * @param {string} value
   */
  #choose(select, value) {
    if (value && ![...select.options].some((option) => option.value === value)) {
      select.append(element("option", { value }, this.language.say("chosen")));
    }
    select.value = value;
  }

  /**
   * @param {Partial<Facets>} facets
   * @param {State} state
   */
  showCounts(facets, state) {
    this.#fillChoices(
      "category",
      (facets.category ?? []).filter(isStated).map((bucket) => bucket.value),
    );
    if (facets.organization) this.#fillOrganizations(facets.organization.top);
    for (const name of /** @type {const} */ (["category", "weekday"])) {
      for (const { value, count } of (facets[name] ?? []).filter(isStated)) {
        const box = find(name, HTMLElement).querySelector(`[value="${CSS.escape(value)}"]`);
        const shown = box?.parentElement?.querySelector(".count");
        if (shown) shown.textContent = this.language.count(count);
        box?.parentElement?.classList.toggle("none", count === 0);
      }
    }
    this.#countOptions("time", facets.time_block ?? []);
    this.#countOptions(
      "price",
      (facets.price_band ?? []).filter((bucket) => bucket.value === "free"),
    );
    this.show(state);
  }

  /**
   * @param {string} id
   * @param {FacetValue[]} counts
   */
  #countOptions(id, counts) {
    for (const option of find(id, HTMLSelectElement).options) {
      option.dataset.name ??= option.textContent ?? "";
      const found = counts.find((bucket) => bucket.value === option.value);
      option.textContent = found
        ? this.language.say("option_count", { name: option.dataset.name, count: found.count })
        : option.dataset.name;
    }
  }

  /** @param {OrganizationCount[]} top */
  #fillOrganizations(top) {
    const options = top.map((organization) =>
      element(
        "option",
        { value: organization.id, "data-name": organization.name },
        this.language.say("option_count", { name: organization.name, count: organization.count }),
      ),
    );
    find("organization_id", HTMLSelectElement).replaceChildren(
      element("option", { value: "" }, this.language.say("any")),
      ...options,
    );
  }

  /**
   * Boxes stay the same as long as the words do, so that none loses the focus.
   * @param {string} name
   * @param {string[]} values
   */
  #fillChoices(name, values) {
    const frame = find(name, HTMLElement);
    const shown = [...frame.querySelectorAll("input")].map((box) => box.value);
    if (shown.join() === values.join()) return;
    frame.replaceChildren(
      ...values.map((value) =>
        element(
          "label",
          {},
          element("input", { type: "checkbox", name, value }),
          ` ${this.language.name(value)} `,
          element("span", { class: "count" }),
        ),
      ),
    );
  }
}

/** @param {{value: string}} bucket */
function isStated(bucket) {
  return bucket.value !== "unspecified";
}
