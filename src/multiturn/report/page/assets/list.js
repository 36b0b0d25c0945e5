// The list of conversations: its filters, and its rows, drawn as they are needed.

const ROWS_AT_ONCE = 60;
const TYPING_PAUSE = 250; // milliseconds
const REDRAWN_EVERY = 1000; // milliseconds, while a search goes on
const REASONS_SHOWN = 2;
const NARROW = "(max-width: 37.5rem)"; // there the filters would fill the screen

class List {
  constructor(book, moved) {
    this.book = book;
    this.moved = moved; // called with a filter that was chosen here
    this.search = new Search(book);
    this.selects = [...document.querySelectorAll("select[data-choice]")];
    this.orders = [...byId("order").options].map((option) => option.value);
    this.tagOf = new Map(this.selects.flatMap((select) => [...select.options].map((option) => [option, this.tag(option)])));
    this.filter = new Filter().prepare(book);
    this.rows = book.rows; // those that are asked for, in their order
    this.drawn = [];
    this.elements = new Map(); // row -> its element, made once
    if (matchMedia(NARROW).matches) byId("finder").open = false;
    this.listen();
  }

  listen() {
    for (const select of this.selects) select.addEventListener("change", () => this.choose(select));
    byId("order").addEventListener("change", (event) => {
      const order = event.target.selectedIndex === 0 ? "" : event.target.value;
      this.moved(new Filter(this.filter.tags, this.filter.text, order));
    });
    let waiting;
    byId("find").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        this.moved(new Filter(this.filter.tags, event.target.value.trim(), this.filter.order), { typing: true });
      }, TYPING_PAUSE);
    });
    byId("clear").addEventListener("click", () => {
      this.moved(new Filter([], "", this.filter.order));
      byId("find").focus();
    });
    byId("more").addEventListener("click", () => this.more(ROWS_AT_ONCE));
    const near = new IntersectionObserver(([end]) => {
      if (!end.isIntersecting) return;
      this.more(ROWS_AT_ONCE);
      near.unobserve(end.target); // so that it tells again where the end is still near
      near.observe(end.target);
    }, { rootMargin: "800px" });
    near.observe(byId("more"));
  }

  // What a filter says is instead of what it said.
  choose(select) {
    const kept = this.filter.without([...select.options].map((option) => this.tagOf.get(option)));
    const tag = this.tagOf.get(select.selectedOptions[0]);
    this.moved(tag ? kept.with(tag) : kept);
  }

  tag(option) {
    return readFilter(option.value, this.book, this.orders)[0].tags[0];
  }

  // Show the conversations of an address; whether they are all there at once, or still looked for.
  show(hash) {
    const [filter, problem] = readFilter(hash, this.book, this.orders);
    this.tell(problem);
    this.search.stop();
    this.filter = filter;
    this.state();
    const rows = this.ordered(filter.order).filter((row) => filter.holds(row));
    if (filter.text === "") this.put(rows);
    else this.find(rows);
  }

  tell(problem) {
    byId("list-problem").hidden = problem === "";
    byId("list-problem").textContent = problem && `${problem} All ${this.book.rows.length} conversations are shown.`;
  }

  ordered(order) {
    if (order === "suite") return [...this.book.rows].sort((one, other) => one.suite - other.suite);
    if (order !== "name") return this.book.rows;
    const names = new Intl.Collator("en", { numeric: true });
    return [...this.book.rows].sort((one, other) => names.compare(one.name, other.name));
  }

  // While chunks are read, rows come one after another, and how far it is stands where it is not read aloud each time.
  find(rows) {
    let last = -Infinity;
    this.search.run(rows, this.filter.text, (found, done, all, broken) => {
      const over = done === all;
      if (!over && performance.now() - last < REDRAWN_EVERY) return;
      last = performance.now();
      this.put(rows.filter((row) => found.has(row)), over);
      const damaged = `${broken} of ${all} parts of this file are damaged and can't be read`;
      byId("progress").textContent = over ? (broken ? damaged : "") : `${found.size} found, ${done} of ${all} parts read …`;
    });
  }

  // Filters, order and heading as the address says.
  state() {
    const { tags, text, order } = this.filter;
    for (const select of this.selects) {
      const options = [...select.options];
      const chosen = options.filter((option) => tags.includes(this.tagOf.get(option)));
      options.find((option) => option.value === "several").hidden = chosen.length < 2;
      select.value = chosen.length > 1 ? "several" : (chosen[0]?.value ?? "");
    }
    if (byId("find").value.trim() !== text) byId("find").value = text;
    byId("order").value = order || this.orders[0];
    byId("list-heading").textContent = byId("order").selectedOptions[0].dataset.heading;
    byId("clear").hidden = this.filter.empty;
    const chips = tags.map((tag) => this.chip(tag.words, this.filter.without([tag])));
    if (text) chips.push(this.chip(`text: “${text}”`, new Filter(tags, "", order)));
    byId("chips").hidden = chips.length === 0;
    byId("chips").replaceChildren(...chips);
  }

  chip(words, without) {
    const cross = made("span", { "aria-hidden": "true" }, "×");
    const button = made("button", { type: "button" }, `${words} `, cross);
    button.append(made("span", { class: "unseen" }, ", take this filter away"));
    button.addEventListener("click", () => {
      this.moved(without);
      (byId("chips").querySelector("button") ?? byId("find")).focus();
    });
    return made("li", {}, button);
  }

  put(rows, over = true) {
    const all = this.book.rows.length;
    const conversations = `${all} conversation${all === 1 ? "" : "s"}`;
    this.rows = rows;
    byId("progress").textContent = "";
    byId("count").textContent = !over ? "" : this.filter.empty ? conversations : `${rows.length} of ${conversations}`;
    const focused = byId("rows").contains(document.activeElement) ? document.activeElement : undefined;
    this.drawn = [];
    byId("rows").replaceChildren();
    this.more(ROWS_AT_ONCE);
    byId("conversations").hidden = rows.length === 0;
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }

  more(count) {
    const next = this.rows.slice(this.drawn.length, this.drawn.length + count);
    this.drawn.push(...next);
    byId("rows").append(...next.map((row) => this.element(row)));
    const left = this.rows.length - this.drawn.length;
    byId("more").hidden = left === 0;
    byId("more").textContent = `Show ${Math.min(ROWS_AT_ONCE, left)} more of ${left}`;
  }

  // The link of a row that is drawn.
  link(row) {
    return this.drawn.includes(row) ? this.elements.get(row).querySelector("a") : undefined;
  }

  element(row) {
    if (!this.elements.has(row)) this.elements.set(row, this.row(row));
    const element = this.elements.get(row);
    element.querySelector("a").href = this.address(row);
    element.querySelector(".which-turns").textContent = turnsIn(this.filter.turns(row), row);
    return element;
  }

  // Where a row leads: to the turn that proves most, or to the first one that is asked for.
  address(row) {
    const turns = this.filter.turns(row);
    const proof = { turn: row.turn, sample: row.sample ?? 1 };
    const proves = turns.length === 0 || turns.some((one) => one.turn === proof.turn && one.sample === proof.sample);
    return conversationAddress(row, proves ? proof : turns[0]);
  }

  row(row) {
    const words = row.turns === 1 ? "turn" : "turns";
    const held = row.samples > 1 ? made("span", { class: "soft" }, ` held ${row.samples} times`) : "";
    return made(
      "tr",
      { role: "row" },
      made("th", { scope: "row", role: "rowheader" }, made("a", {}, row.name), made("span", { class: "which-turns soft" })),
      cell("Probes", "", ...this.probes(row)),
      cell("Turns", "number", String(row.turns), made("span", { class: "unit" }, ` ${words}`), held),
      cell("Checks passed", "number", ...perArm(this.book.arms, row.applied, (arm) => `${row.passed[arm]} of ${row.applied[arm]}`)),
      cell("Refusals", "number", ...perArm(this.book.arms, [1], (arm) => String(row.refusals[arm]))),
      ...(this.book.arms.length > 1 ? [cell("What changed", "why", ...reasons(row))] : []),
    );
  }

  probes(row) {
    const places = new Set([...(row.turn_tags ?? []).flat(), ...(row.tags ?? [])]);
    const said = (key) => this.book.tags.filter((tag, at) => tag.key === key && places.has(at)).map((tag) => tag.short);
    const capabilities = said("capability");
    const about = [...said("category"), ...said("domain")];
    return [
      ...(capabilities.length ? [capabilities.join(", ")] : []),
      ...(about.length ? [made("span", { class: "soft about" }, about.join(", "))] : []),
    ];
  }
}

// Which turns are asked for, where not all are.
function turnsIn(asked, row) {
  const turns = [...new Set(asked.map((one) => one.turn))];
  if (turns.length === 0 || turns.length === row.turns) return "";
  return turns.length === 1 ? `turn ${turns[0]}` : `turns ${turns.join(", ")}`;
}

function conversationAddress(row, { turn, sample } = {}) {
  const place = turn ? `&t=${turn}${sample > 1 ? `&s=${sample}` : ""}` : "";
  return `#c=${encodeURIComponent(row.id)}${place}`;
}

function cell(label, kind, ...inside) {
  return made("td", { role: "cell", "data-label": label, ...(kind && { class: kind }) }, ...inside);
}

// A number of each arm: beside one another for two, with their names for more. `of` says whether there is anything.
function perArm(arms, of, told) {
  if (!of.some(Boolean)) return ["–"];
  if (arms.length === 1) return [told(0)];
  const named = (name, arm) => made("span", { class: `arm arm-${arm % 6} ${arms.length === 2 ? "unseen" : ""}` }, `${name} `);
  if (arms.length === 2) {
    const arrow = made("span", { class: "soft", "aria-hidden": "true" }, " → ");
    return [named(arms[0], 0), told(0), arrow, named(arms[1], 1), told(1)];
  }
  return arms.map((name, arm) => made("span", { class: "of-arm" }, named(name, arm), told(arm)));
}

function reasons(row) {
  const shown = row.what ? [`turn ${row.turn}: ${row.what}`] : [];
  const all = [...shown, ...(row.why ?? [])].map((one) => made("li", {}, one));
  const first = made("ul", {}, ...all.slice(0, REASONS_SHOWN + shown.length));
  if (row.arm) first.prepend(made("li", { class: "soft" }, `most in ${row.arm}:`));
  const rest = all.slice(REASONS_SHOWN + shown.length);
  if (rest.length === 0) return all.length ? [first] : ["nothing"];
  return [first, made("details", {}, made("summary", {}, `${rest.length} more`), made("ul", {}, ...rest))];
}
