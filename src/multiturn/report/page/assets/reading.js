// One conversation side by side: its sheet, what changed in it, and the way to the others.

const SPOKEN = ".user-text, .reply-text"; // what the user and the models say, in a sheet

class Reading {
  constructor(book, list) {
    this.book = book;
    this.list = list;
    this.title = document.title;
    this.row = undefined;
    this.latest = 0;
    byId("conversation").addEventListener("toggle", (event) => putTogether(event.target), { capture: true });
  }

  // Those between which one goes on: what is asked for, else all.
  get among() {
    return this.list.rows.includes(this.row) ? this.list.rows : this.book.rows;
  }

  close() {
    this.latest += 1;
    this.row = undefined;
    byId("sheet").replaceChildren();
    document.title = this.title;
  }

  async show({ id, turn, sample }) {
    const mine = (this.latest += 1);
    this.row = this.book.byId.get(id);
    this.around();
    if (this.row === undefined) {
      this.fail(`There is no conversation “${id}” on this page.`, this.book.near(id));
      return;
    }
    byId("sheet").setAttribute("aria-busy", "true");
    let sheet;
    try {
      sheet = await this.book.sheet(this.row);
    } catch {
      if (mine !== this.latest) return;
      this.fail("This part of the file is damaged, and its conversations can't be read. Write the report again: multiturn report.");
      return;
    }
    if (mine !== this.latest) return;
    byId("sheet").replaceChildren(sheet);
    byId("sheet").removeAttribute("aria-busy");
    this.mark(sheet);
    this.go(sheet, turn, sample ?? 1);
  }

  fail(problem, near = []) {
    const said = made("p", {}, problem, ...(near.length ? [" Near it: "] : []));
    for (const [at, row] of near.entries()) {
      said.append(at ? ", " : "", made("a", { href: conversationAddress(row) }, row.name));
    }
    const heading = made("h2", { tabindex: "-1" }, "Nothing to show here");
    byId("sheet").replaceChildren(heading, said);
    byId("sheet").removeAttribute("aria-busy");
    heading.focus();
  }

  // What stands above and below the sheet.
  around() {
    const at = this.among.indexOf(this.row);
    const neighbours = { previous: this.among[at - 1], next: at < 0 ? undefined : this.among[at + 1] };
    for (const [which, row] of Object.entries(neighbours)) {
      for (const link of document.querySelectorAll(`#conversation .${which}`)) {
        if (row === undefined) link.removeAttribute("href");
        else link.href = this.list.address(row);
        link.title = row?.name ?? "";
      }
    }
    for (const link of document.querySelectorAll("#conversation .back")) link.href = this.list.filter.address;
    const found = this.list.filter.empty || this.among !== this.list.rows ? "" : " found";
    byId("position").textContent = at < 0 ? "" : `${at + 1} of ${this.among.length}${found}`;
    const why = this.row?.why ?? [];
    byId("changed").hidden = why.length === 0;
    byId("changed-arm").textContent = this.row?.arm ? ` most, in ${this.row.arm}` : "";
    byId("reasons").replaceChildren(...why.map((reason) => made("li", {}, reason)));
    document.title = this.row ? `${this.row.name} – ${this.title}` : this.title;
  }

  step(which) {
    document.querySelector(`#conversation .${which}[href]`)?.click();
  }

  // Turns and words that are asked for.
  mark(sheet) {
    for (const { turn, sample } of this.list.filter.turns(this.row)) {
      const place = turnIn(sheet, turn, sample);
      place?.classList.add("asked-for");
      place?.prepend(made("p", { class: "asked-for-note" }, "This turn is what you filtered for."));
    }
    this.found = markWords(sheet, this.list.filter.text);
  }

  // To the turn that the address names; of a text that is looked for, to the first turn that has it.
  go(sheet, turn, sample) {
    const named = turn && turnIn(sheet, turn, sample);
    const found = this.list.filter.turns(this.row).length === 0 ? this.found.map((one) => turnAround(one)) : [];
    const place = found.length === 0 || found.includes(named) ? named : found[0];
    const heading = (place || sheet).querySelector("h1, h2, h3, h4") ?? sheet;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    if (place) {
      place.classList.add("led-to");
      for (let around = place; around !== sheet; around = around.parentElement) {
        if (around.localName === "details") around.open = true;
      }
      place.scrollIntoView();
    } else scrollTo(0, 0);
  }
}

function turnAround(range) {
  return range.startContainer.parentElement.closest("[data-turn]");
}

function turnIn(sheet, turn, sample) {
  return sheet.querySelector(`[data-turn="${turn}"][data-sample="${sample}"]:not(.prompt)`);
}

// The browser's own highlights change nothing in the sheet; where it has none, nothing is marked.
function markWords(sheet, text) {
  globalThis.CSS?.highlights?.delete("found");
  if (!text) return [];
  const words = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
  const texts = [];
  for (const block of sheet.querySelectorAll(SPOKEN)) {
    if (block.classList.contains("on")) texts.at(-1).push(block);
    else texts.push([block]);
  }
  const ranges = texts.flatMap((blocks) => [...rangesOf(blocks, words)]);
  if (globalThis.Highlight) CSS.highlights.set("found", new Highlight(...ranges));
  return ranges;
}

// A range for each block that has a part of what is found: what stands between two blocks was not said.
function* rangesOf(blocks, words) {
  const nodes = [];
  for (const block of blocks) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) nodes.push([walker.currentNode, block]);
  }
  for (const { index, 0: found } of nodes.map(([node]) => node.data).join("").matchAll(words)) {
    const ranges = new Map();
    let start = -index;
    for (const [node, block] of nodes) {
      const from = Math.max(0, -start);
      const to = Math.min(node.length, found.length - start);
      if (from < to) {
        if (!ranges.has(block)) {
          ranges.set(block, new Range());
          ranges.get(block).setStart(node, from);
        }
        ranges.get(block).setEnd(node, to);
      }
      start += node.length;
      if (start >= found.length) break;
    }
    yield* ranges.values();
  }
}

// A prompt lies in the sheet as what it adds to the one of the turn before: the first data-kept characters of that are
// its beginning. Opened, it is shown whole.
function putTogether(details) {
  if (!(details instanceof HTMLDetailsElement) || !details.open) return;
  for (const prompt of details.querySelectorAll("pre.prompt")) {
    const { arm, sample, turn } = prompt.dataset;
    const all = byId("sheet").querySelectorAll(`pre.prompt[data-arm="${arm}"][data-sample="${sample}"]`);
    const sofar = [...all].filter((one) => Number(one.dataset.turn) <= Number(turn));
    sofar.sort((one, other) => one.dataset.turn - other.dataset.turn);
    let whole = [];
    for (const one of sofar) {
      one.adds ??= [...one.textContent];
      whole = [...whole.slice(0, Number(one.dataset.kept)), ...one.adds];
    }
    prompt.textContent = whole.join("");
  }
}
