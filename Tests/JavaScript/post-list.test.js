import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/browser.js";
import { Part, setPage } from "./support/parts.js";

const { listedIDs, postIDs } = await import("../../public/js/feed/post-ids.js");
const { replaceList } = await import("../../public/js/newer-posts.js");
const { add } = await import("../../public/js/older-posts.js");

/** An element of a list with a post, and those folded into it. */
class Element extends EventTarget {
  children = [];

  constructor(id, folded = []) {
    super();
    this.dataset = id ? { id } : {};
    this.append(...folded.map((one) => new Element(one)));
  }

  append(...added) {
    this.children.push(...added);
  }

  querySelectorAll() {
    return this.children;
  }
}

document.createElement = () => new Element();
document.importNode = (element) => element;

const list = (...elements) => {
  const made = new Element();
  made.append(...elements);
  return made;
};
const shown = ({ children }) => children.map(postIDs);

test("A list has the posts that are folded into one of its elements", () => {
  const posts = list(new Element("a", ["a", "b"]), new Element("c"));
  assert.deepEqual([...listedIDs(posts)], ["a", "b", "c"]);
});

test("Older posts are added once, and those beside a known one in the same fold as well", () => {
  const posts = list(new Element("promoted"), new Element("e", ["e", "d"]));
  const page = list(
    new Element("e"),
    new Element("d"),
    new Element("promoted", ["promoted", "c"]),
    new Element("b"),
  );
  add(page, posts);
  assert.deepEqual(shown(posts).slice(2), [["promoted", "promoted", "c"], ["b"]]);
});

test("With more than a page of new posts, only the list and its link to older ones change", () => {
  const posts = list(new Element("a"));
  posts.replaceChildren = (...elements) => (posts.children = elements);
  posts.after = (...parts) => (posts.later = parts);
  const outdated = "[data-older], [data-older-skeleton], .home-feed > .empty";
  const link = Object.assign(new Part(), { remove: () => (link.isRemoved = true) });
  const older = new Part({ a: new Part() });
  setPage({ [outdated]: link, "[data-older]": older, "[data-posts]": posts });
  const watched = [];
  globalThis.IntersectionObserver = class {
    observe = (place) => watched.push(place);
  };
  const fresh = [new Element("z"), new Element("y")];
  const page = new Part({
    "[data-posts] > *": fresh,
    "[data-older], [data-older-skeleton]": older,
  });
  assert.deepEqual(replaceList(posts, page), fresh);
  assert.deepEqual(shown(posts), [["z"], ["y"]]);
  assert.equal(link.isRemoved, true);
  assert.deepEqual([posts.later, watched], [[older], [older]]);
});
