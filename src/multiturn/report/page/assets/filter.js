// Which conversations are asked for, as the address has it: #list?capability=correction&flip=lost&q=teapot&order=name

class Filter {
  constructor(tags = [], text = "", order = "") {
    this.tags = tags; // of the book
    this.text = text;
    this.order = order; // "" is the list's first
  }

  get address() {
    const parts = this.tags.map((tag) => [tag.key, tag.value]);
    if (this.text) parts.push(["q", this.text]);
    if (this.order) parts.push(["order", this.order]);
    const query = parts.map((part) => part.map(encodeURIComponent).join("=")).join("&");
    return query ? `#list?${query}` : "#list";
  }

  get empty() {
    return this.tags.length === 0 && this.text === "";
  }

  with(tag) {
    return new Filter([...this.tags, tag], this.text, this.order);
  }

  without(tags) {
    return new Filter(this.tags.filter((tag) => !tags.includes(tag)), this.text, this.order);
  }

  // Values of one key are a choice; keys must all hold.
  prepare(book) {
    const keys = new Map();
    for (const tag of this.tags) keys.set(tag.key, [...(keys.get(tag.key) ?? []), book.tags.indexOf(tag)]);
    const sets = [...keys.values()].map((places) => ({ whole: book.tags[places[0]].whole, places: new Set(places) }));
    this.ofConversation = sets.filter((one) => one.whole).map((one) => one.places);
    this.ofTurn = sets.filter((one) => !one.whole).map((one) => one.places);
    return this;
  }

  holds(row) {
    const whole = this.ofConversation.every((places) => row.tags?.some((tag) => places.has(tag)));
    return whole && (this.ofTurn.length === 0 || row.turn_tags?.some((tags) => this.holdsOfTurn(tags)));
  }

  holdsOfTurn(tags) {
    return this.ofTurn.every((places) => tags.some((tag) => places.has(tag)));
  }

  // The turns that are asked for, sample by sample; none where only the conversation is.
  turns(row) {
    if (this.ofTurn.length === 0) return [];
    return (row.turn_tags ?? []).flatMap((tags, at) =>
      this.holdsOfTurn(tags) ? [{ sample: Math.floor(at / row.turns) + 1, turn: (at % row.turns) + 1 }] : [],
    );
  }
}

// The filter of an address, and what is wrong with it: then it asks for everything.
function readFilter(hash, book, orders) {
  const filter = new Filter();
  try {
    for (const [key, value] of readParts(hash.replace(/^#list\??/, ""))) {
      if (key === "q") filter.text = value;
      else if (key === "order" && orders.includes(value)) filter.order = value === orders[0] ? "" : value;
      else if (key === "order") throw new Unknown(`There is no order “${value}”; there is: ${orders.join(", ")}.`);
      else filter.tags.push(knownTag(key, value, book));
    }
  } catch (problem) {
    if (!(problem instanceof Unknown)) throw problem;
    return [new Filter().prepare(book), problem.message];
  }
  return [filter.prepare(book), ""];
}

class Unknown extends Error {}

function readParts(query) {
  try {
    return query
      .split("&")
      .filter(Boolean)
      .map((part) => [part.split("=", 1)[0], part.includes("=") ? part.slice(part.indexOf("=") + 1) : ""])
      .map((part) => part.map(decodeURIComponent));
  } catch {
    throw new Unknown(`The address ends in something that can't be read: “${query}”.`);
  }
}

function knownTag(key, value, book) {
  const alike = book.tags.filter((tag) => tag.key === key);
  const found = alike.find((tag) => tag.value === value);
  if (found) return found;
  if (alike.length === 0) {
    const keys = [...new Set(book.tags.map((tag) => tag.key))].sort();
    throw new Unknown(`There is no filter “${key}” on this page; there is: ${keys.join(", ")}.`);
  }
  const values = alike.map((tag) => tag.value).sort();
  const shown = values.slice(0, 12).join(", ") + (values.length > 12 ? " …" : "");
  throw new Unknown(`No conversation on this page has ${key} “${value}”; there is: ${shown}.`);
}
