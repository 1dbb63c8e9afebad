// Hears of newer posts by a stream, offers them, and adds them on top when the user asks for them,
// so that nothing moves under the user's thumb.
import { get, parsePage, showError } from "./base/fetch.js";
import { Stream } from "./base/stream.js";
import { listedIDs, postIDs } from "./feed/post-ids.js";
import { start as startOlder } from "./older-posts.js";

// Pages ask for a new post spread over this time, in ms: all of them hear of it at once.
const SPREAD = 3_000;

export function start(place) {
  const list = document.querySelector("[data-posts]");
  const button = place.querySelector("button");
  const address = location.pathname + location.search;
  let asking = false;
  let waiting;

  const known = () => listedIDs(list);
  const isAmong = (here, post) => postIDs(post).some((id) => here.has(id));
  const isPromoted = (post) => post.querySelector(".promoted") !== null;

  const check = async () => {
    if (asking || document.hidden || !button.hidden) return;
    asking = true;
    try {
      const response = await fetch(place.dataset.newer, { credentials: "same-origin" });
      if (!response.ok) return;
      const newest = (await response.json()).posts[0];
      if (newest && !known().has(newest.id)) button.hidden = false;
    } catch {
      // The next check will do.
    } finally {
      asking = false;
    }
  };

  const stream = new Stream("/api/v1/posts/events", "posts", () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, Math.random() * SPREAD);
  });
  // A hidden tab holds no connection: browsers allow few to one server without HTTP/2.
  document.addEventListener("visibilitychange", () => document.hidden && stream.close());
  document.addEventListener("pairspot:added", () => place.isConnected || stream.end());

  button.addEventListener("click", async () => {
    try {
      const page = await parsePage(await get(address));
      const here = known();
      const all = [...page.querySelectorAll("[data-posts] > [data-id]")];
      // None in common: more than one page is new, and adding it would leave a gap. Promoted posts
      // are on top whatever their age, so they do not count.
      const isGap = all.length && !all.some((post) => isAmong(here, post) && !isPromoted(post));
      const fresh = isGap ? replaceList(list, page) : prependNew(list, all, here);
      button.hidden = true;
      fresh[0]?.scrollIntoView({ block: "center" });
      fresh[0]?.querySelector("a, button, summary")?.focus({ preventScroll: true });
    } catch (failure) {
      showError(failure);
    }
  });
}

/** Adds the new ones of `all` posts of a page on top. Gives what was added. */
function prependNew(list, all, here) {
  // Identifiers grow with time (UUIDv7). An unknown older post is not new: it moved up after a
  // deletion, or was promoted.
  const newest = [...here].sort().at(-1) ?? "";
  const fresh = all
    .filter((post) => postIDs(post).some((id) => !here.has(id) && id > newest))
    .map((post) => document.importNode(post, true));
  list.prepend(...fresh);
  announce(fresh);
  return fresh;
}

/**
 * Shows the posts of a page in place of those here, and its link to older ones. The form of a new
 * post stays, with the pictures that are chosen in it. Gives the posts.
 */
export function replaceList(list, page) {
  const outdated = "[data-older], [data-older-skeleton], .home-feed > .empty";
  for (const part of document.querySelectorAll(outdated)) part.remove();
  const copies = (selector) =>
    [...page.querySelectorAll(selector)].map((part) => document.importNode(part, true));
  const fresh = copies("[data-posts] > *");
  list.replaceChildren(...fresh);
  list.after(...copies("[data-older], [data-older-skeleton]"));
  const older = document.querySelector("[data-older]");
  if (older) startOlder(older);
  announce(fresh);
  return fresh;
}

/** Starts the scripts of posts. */
function announce(posts) {
  for (const post of posts) {
    post.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
}
