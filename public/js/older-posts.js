// Loads older posts when the end of the list comes near; the link works without scripts.
import { get, parsePage, showError } from "./base/fetch.js";

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
    while (next && !next.querySelector("a")) next = next.nextElementSibling;
    next?.querySelector("a").focus();
  });
}

function add(page, list) {
  const here = new Set([...list.children].map((post) => post.dataset.id));
  const holder = document.createElement("div");
  for (const post of page.querySelectorAll("[data-posts] > [data-id]")) {
    if (!here.has(post.dataset.id)) holder.append(document.importNode(post, true));
  }
  const added = [...holder.children];
  list.append(...added);
  for (const post of added) {
    post.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
}
