// What is shown: the overview or one conversation, as the address says; and the keys.

const KEYS_OFF = "multiturn-keys-off";

class Pages {
  constructor(book) {
    this.list = new List(book, (filter, how) => this.choose(filter, how));
    this.reading = new Reading(book, this.list);
    this.listed = undefined; // the address that the list shows
    this.left = undefined; // where the overview was left: how far down, the link that was followed, to which conversation
    this.typed = false; // whether the last change of the filter was typed
  }

  start() {
    // Back and forward are shown before the browser scrolls; what a link leads to, after it has moved the keyboard there.
    addEventListener("popstate", (event) => (event.state ? this.show() : setTimeout(() => this.show())));
    addEventListener("hashchange", () => this.show());
    addEventListener("keydown", (event) => this.press(event));
    addEventListener("beforeprint", () => this.unfold());
    addEventListener("afterprint", () => this.fold());
    for (const button of document.querySelectorAll(".show-keys")) button.addEventListener("click", () => byId("keys").showModal());
    byId("keys-off").checked = keysOff();
    byId("keys-off").addEventListener("change", (event) => remember(event.target.checked));
    byId("close-keys").addEventListener("click", () => byId("keys").close());
    this.show();
  }

  // A place that was shown before has a state; a new one has none.
  show() {
    const known = history.state;
    if (known && location.hash === this.shown) return;
    this.shown = location.hash;
    this.typed = false;
    const place = readPlace(location.hash);
    if (place.id === undefined) this.overview(place, known);
    else this.conversation(place, known);
  }

  conversation(place, known) {
    if (known?.listed !== undefined || this.listed === undefined) this.showList(known?.listed ?? "#list");
    history.replaceState({ listed: this.listed }, "");
    if (!byId("overview").hidden) this.left = { down: scrollY, link: document.activeElement, id: place.id };
    byId("overview").hidden = true;
    byId("conversation").hidden = false;
    this.reading.show(place);
  }

  overview(place, known) {
    const read = this.reading.row;
    history.replaceState({}, "");
    byId("conversation").hidden = true;
    byId("overview").hidden = false;
    this.reading.close();
    const before = this.listed;
    if (place.list !== undefined) this.showList(place.list);
    if (this.left !== undefined && this.listed === before) this.comeBack(read);
    else if (place.anchor !== undefined && !known) byId(place.anchor).scrollIntoView();
    else if (!place.top && !known) this.toList();
    this.left = undefined;
  }

  showList(hash) {
    if (hash === this.listed) return;
    this.listed = hash;
    this.list.show(hash);
  }

  toList() {
    byId("list").scrollIntoView();
    byId("list-heading").focus({ preventScroll: true });
  }

  // To where the overview was left; where another conversation was read last, to its row.
  comeBack(read) {
    scrollTo(0, this.left.down);
    const row = read?.id === this.left.id ? undefined : this.list.link(read);
    (row ?? this.left.link)?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }

  // A filter chosen in the list: what is typed is one step back, however many letters it has.
  choose(filter, { typing = false } = {}) {
    const address = filter.address;
    if (address === this.listed || byId("overview").hidden) return;
    const move = typing && this.typed ? "replaceState" : "pushState";
    this.typed = typing;
    history[move]({}, "", address);
    this.shown = location.hash;
    this.showList(address);
  }

  press(event) {
    const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || byId("keys").open) return;
    if (event.key !== "Escape" && keysOff()) return;
    const reading = !byId("conversation").hidden;
    const scrolls = event.key.startsWith("Arrow") && event.target.closest?.(".scroll, pre, summary");
    const act = { "?": () => byId("keys").showModal(), "/": () => this.find() }[event.key] ?? (reading && this.inReading()[event.key]);
    if (!act || scrolls) return;
    event.preventDefault();
    act();
  }

  inReading() {
    const next = () => this.reading.step("next");
    const previous = () => this.reading.step("previous");
    return { j: next, ArrowRight: next, k: previous, ArrowLeft: previous, Escape: () => this.reading.step("back") };
  }

  find() {
    if (!byId("conversation").hidden) {
      history.pushState(null, "", this.list.filter.address);
      this.show();
    }
    byId("finder").open = true;
    byId("find").focus();
  }

  // On paper there is nothing to unfold, and all conversations are there.
  unfold() {
    if (!byId("overview").hidden) this.list.more(this.list.rows.length);
    this.folded = [...document.querySelectorAll("details:not([open])")].filter((one) => !one.matches(".more"));
    for (const details of this.folded) details.open = true;
  }

  fold() {
    for (const details of this.folded ?? []) details.open = false;
  }
}

// Where an address leads: to a conversation, to the list under a filter, or to a place of the overview.
function readPlace(hash) {
  if (hash.startsWith("#c=")) {
    try {
      const { c, t, s } = Object.fromEntries(readParts(hash.slice(1)));
      return { id: c, turn: Number(t) || undefined, sample: Number(s) || undefined };
    } catch {
      return { id: hash.slice(3) };
    }
  }
  if (hash === "" || hash === "#") return { list: "#list", top: true };
  if (hash === "#list" || hash.startsWith("#list?")) return { list: hash };
  const anchor = hash.slice(1);
  return byId(anchor) ? { anchor } : { list: `#list?${anchor}` };
}

function keysOff() {
  try {
    return localStorage.getItem(KEYS_OFF) === "yes";
  } catch {
    return byId("keys-off").checked; // a browser that keeps nothing for files
  }
}

function remember(off) {
  try {
    localStorage.setItem(KEYS_OFF, off ? "yes" : "no");
  } catch {
    // it holds until the page is closed
  }
}

async function start() {
  const asked = location.hash.startsWith("#c=");
  byId("overview").hidden = asked;
  byId("conversation").hidden = !asked;
  try {
    if (!canUnpack()) throw new Error("This browser can't open the transcripts in this page: it lacks DecompressionStream.");
    const book = new Book(await unpacked(byId("index").textContent));
    byId("opening").hidden = true;
    byId("listed").hidden = false;
    new Pages(book).start();
  } catch (problem) {
    byId("overview").hidden = false;
    byId("conversation").hidden = true;
    byId("opening").textContent = `The conversations can't be shown. ${problem.message} ${byId("opening").dataset.else}`;
    byId("opening").setAttribute("role", "alert");
  }
}

start();
