// Says that others posted meanwhile, and puts their posts on top when asked to: never by itself, so
// that nothing moves under somebody's thumb.
import { get, pageOf, tell } from "./base/fetch.js";

// How often is asked while the page is looked at, in milliseconds.
const EVERY = 10_000;

export function start(place) {
  const list = document.querySelector("[data-posts]");
  const button = place.querySelector("button");
  const address = location.pathname + location.search;
  let asking = false;

  const known = () => new Set([...list.children].map((post) => post.dataset.id));
  const isPromoted = (post) => post.querySelector(".promoted") !== null;

  const ask = async () => {
    if (asking || document.hidden || !place.isConnected || !button.hidden) return;
    asking = true;
    try {
      const response = await fetch(place.dataset.newer, { credentials: "same-origin" });
      if (!response.ok) return;
      const newest = (await response.json()).posts[0];
      if (newest && !known().has(newest.id)) button.hidden = false;
    } catch {
      // Nobody waits for this: the next time will do.
    } finally {
      asking = false;
    }
  };

  const timer = setInterval(() => (place.isConnected ? ask() : clearInterval(timer)), EVERY);
  document.addEventListener("visibilitychange", ask);

  button.addEventListener("click", async () => {
    try {
      const page = await pageOf(await get(address));
      const here = known();
      const all = [...page.querySelectorAll("[data-posts] > [data-id]")];
      // More than a page of them: what lies between would be missing. Promoted posts stand above
      // all others whatever their age, so they tell nothing.
      if (all.length && !all.some((post) => here.has(post.dataset.id) && !isPromoted(post))) {
        location.reload();
        return;
      }
      // Identifiers grow with time (UUID v7). What is unknown but older isn't new: it moved up when
      // others were deleted, or its promotion had its turn.
      const newest = [...here].sort().at(-1) ?? "";
      const fresh = all.filter((post) => !here.has(post.dataset.id) && post.dataset.id > newest)
        .map((post) => document.importNode(post, true));
      list.prepend(...fresh);
      for (const post of fresh) {
        post.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
      }
      button.hidden = true;
      fresh[0]?.scrollIntoView({ block: "center" });
      fresh[0]?.querySelector("a")?.focus({ preventScroll: true });
    } catch (failure) {
      tell(failure);
    }
  });
}
