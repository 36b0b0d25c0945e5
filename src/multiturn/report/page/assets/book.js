"use strict";

// What lies in the page: the index of the conversations, and their sheets in compressed chunks.

const KEPT_CHUNKS = 3;
const APART = "\0"; // of a control character a page has only its picture
const LETTERS = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'" };

const byId = (id) => document.getElementById(id);

function made(name, attributes = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

async function unpacked(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at); // half the time of Uint8Array.from
  return new Response(new Response(bytes).body.pipeThrough(new DecompressionStream("deflate-raw"))).json();
}

function canUnpack() {
  try {
    return Boolean(new DecompressionStream("deflate-raw"));
  } catch {
    return false;
  }
}

class Book {
  constructor({ arms, tags, rows }) {
    this.arms = arms;
    this.tags = tags;
    this.rows = rows; // in the list's first order
    this.byId = new Map(rows.map((row) => [row.id, row]));
    this.chunks = document.querySelectorAll("script.chunk");
    this.opened = new Map();
    for (const row of rows) {
      row.name ??= row.id;
      row.samples ??= 1;
    }
  }

  // Sheets are HTML of this project's own templates, in which all that a model or a suite says is escaped already.
  async sheet(row) {
    const template = made("template");
    template.innerHTML = (await this.sheets(row.chunk))[row.place];
    return template.content.firstElementChild;
  }

  async sheets(chunk) {
    let sheets = this.opened.get(chunk);
    if (sheets === undefined) {
      sheets = await unpacked(this.chunks[chunk].textContent);
      this.opened.set(chunk, sheets);
      if (this.opened.size > KEPT_CHUNKS) this.opened.delete(this.opened.keys().next().value);
    }
    return sheets;
  }

  // Ids that look most like one that is not there.
  near(id, most = 3) {
    const wanted = pairs(id);
    const alike = this.rows.map((row) => [likeness(wanted, pairs(row.id)), row]);
    return alike
      .filter(([like]) => like > 0.3)
      .sort(([one], [other]) => other - one)
      .slice(0, most)
      .map(([, row]) => row);
  }
}

function pairs(text) {
  const letters = [...text.toLowerCase()];
  return new Set(letters.map((letter, at) => (letters[at - 1] ?? " ") + letter));
}

function likeness(one, other) {
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return (2 * shared) / (one.size + other.size);
}

// Looks for text in what was said: opens one chunk after another and lets the page work in between.
class Search {
  constructor(book) {
    this.book = book;
    this.said = new Map(); // row -> its text, folded
    this.latest = 0;
  }

  stop() {
    this.latest += 1;
  }

  // `tell` gets the rows found so far, how many chunks are read and how many there are, and how many can't be read.
  async run(rows, text, tell) {
    const mine = (this.latest += 1);
    const wanted = folded(text);
    const holds = (row) => folded(row.id).includes(wanted) || (this.said.get(row) ?? "").includes(wanted);
    const found = new Set(rows.filter(holds));
    const unread = byChunk(rows.filter((row) => !this.said.has(row)));
    let done = 0;
    let broken = 0;
    for (const [chunk, itsRows] of unread) {
      tell(found, done, unread.size, broken);
      await new Promise((resume) => setTimeout(resume));
      if (mine !== this.latest) return;
      broken += (await this.read(chunk, itsRows)) ? 0 : 1;
      itsRows.filter(holds).forEach((row) => found.add(row));
      done += 1;
    }
    if (mine === this.latest) tell(found, done, unread.size, broken);
  }

  async read(chunk, rows) {
    try {
      const sheets = await this.book.sheets(chunk);
      for (const row of rows) this.said.set(row, folded(saidIn(sheets[row.place])));
      return true;
    } catch {
      return false;
    }
  }
}

function byChunk(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.chunk, [...(groups.get(row.chunk) ?? []), row]);
  return groups;
}

const folded = (text) => text.normalize("NFC").toLowerCase().replace(/\s+/g, " ");

// What the user and the models say, without what the page adds: read from a sheet's HTML as it lies in the chunk, which
// is fifty times as quick as to have the browser make elements of it. In there only marks are elements. The blocks of
// one text are put together as they were said; between two texts stands what nobody says and no one can look for.
function saidIn(html) {
  const blocks = html.matchAll(/<div class="text (?:user|reply)-text( on)?">([^]*?)<\/div>/g);
  const said = (text) => text.replace(/<[^>]*>/g, "").replace(/&(?:amp|lt|gt|#34|#39);/g, (name) => LETTERS[name]);
  return Array.from(blocks, ([, on, text]) => (on ? "" : APART) + said(text)).join("");
}
