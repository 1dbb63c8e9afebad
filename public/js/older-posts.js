// Loads older posts when the end of the list comes near; the link works without scripts.
import { get, parsePage, showError } from "./base/fetch.js";
import { listedIDs, postIDs } from "./feed/post-ids.js";

// What is focused in the first loaded post; links of folded ones are not shown.
const FOCUSABLE = "a, button, summary";

export function start(place) {
  const link = place.querySelector("a");
  const list = document.querySelector("[data-posts]");
  const skeleton = document.querySelector("[data-older-skeleton]");
  let loading = false;

  const load = async () => {
    if (loading) return;
    loading = true;
    place.hidden = true;
    if (skeleton) skeleton.hidden = false;
    try {
      const page = await parsePage(await get(link.href));
      // Another page of the feed has taken the place of these posts.
      if (!place.isConnected) return;
      add(page, list);
      const next = page.querySelector("[data-older] a");
      if (next) {
        link.href = next.getAttribute("href");
        place.hidden = false;
      } else {
        watcher.disconnect();
      }
    } catch (failure) {
      // Stops loading by itself and shows the link again.
      watcher.disconnect();
      place.hidden = false;
      if (failure.status !== 0) showError(failure);
    } finally {
      loading = false;
      if (skeleton) skeleton.hidden = true;
    }
  };

  const watcher = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && load(),
    { rootMargin: "600px" },
  );
  watcher.observe(place);
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const last = list.lastElementChild;
    await load();
    let next = last?.nextElementSibling;
    while (next && !next.querySelector(FOCUSABLE)) next = next.nextElementSibling;
    next?.querySelector(FOCUSABLE).focus();
  });
}

/** Adds what a page has and the list has not; a promoted post is on top of the list already. */
export function add(page, list) {
  const here = listedIDs(list);
  const holder = document.createElement("div");
  for (const post of page.querySelectorAll("[data-posts] > [data-id]")) {
    if (postIDs(post).every((id) => here.has(id))) continue;
    holder.append(document.importNode(post, true));
  }
  const added = [...holder.children];
  list.append(...added);
  for (const post of added) {
    post.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
}
