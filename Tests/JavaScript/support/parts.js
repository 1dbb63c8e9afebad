// Stands in for the elements of a page: what tested modules ask of them, and nothing else.

/** An element that finds the parts given to it by their selectors. */
export class Part extends EventTarget {
  dataset = {};
  style = {};
  hidden = false;
  attributes = new Map();

  constructor(parts = {}) {
    super();
    this.parts = parts;
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  querySelectorAll(selector) {
    return [this.parts[selector] ?? []].flat();
  }

  contains(element) {
    return element === this || Object.values(this.parts).some((part) => part.contains(element));
  }

  replaceWith() {}

  focus() {
    document.activeElement = this;
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }
}

/** A page of these parts. Gives what has the focus as each dialog opens. */
export function setPage(parts = {}) {
  const focused = [];
  const words = { offline: "No network", failed: "Failed", unsent: "Can't be sent" };
  const texts = { dataset: words };
  const page = new Part({ ...parts, "#texts, [data-texts]": texts });
  const dialog = Object.assign(new Part({ "[data-text]": new Part() }), {
    cloneNode: () => dialog,
    showModal: () => focused.push(document.activeElement),
  });
  document.getElementById = (id) =>
    id === "notice-template" ? { content: { firstElementChild: dialog } } : new Part();
  document.querySelector = (selector) => page.querySelector(selector);
  document.querySelectorAll = (selector) => page.querySelectorAll(selector);
  document.importNode = (part) => part;
  document.body.append = () => {};
  return focused;
}
