// Likes in place: at once for the eye, then for sure.
import { pageOf, post, tell } from "./base/fetch.js";

export function start(form) {
  const button = form.querySelector("button");
  const count = form.querySelector("[data-testid=like-count]");
  const card = form.closest("[data-id]");
  let waiting = false;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (waiting) return;
    waiting = true;
    const before = { liked: isLiked(button), number: count.textContent };
    const liked = !before.liked;
    show(button, liked);
    count.textContent = stepped(before.number, liked ? 1 : -1);
    const fields = new FormData(form);
    // The post's own page is the smallest answer that carries the true count.
    fields.set("next", new URL(card.querySelector(".post-line a").href).pathname);
    try {
      const address = liked ? form.dataset.likeLink : form.dataset.unlikeLink;
      const page = await pageOf(await post(address, fields));
      const truth = page.querySelector(`[data-id="${card.dataset.id}"] [data-testid=like-count]`);
      if (truth) count.textContent = truth.textContent;
      form.action = liked ? form.dataset.unlikeLink : form.dataset.likeLink;
    } catch (failure) {
      show(button, before.liked);
      count.textContent = before.number;
      tell(failure);
    } finally {
      waiting = false;
    }
  });
}

function isLiked(button) {
  return button.getAttribute("aria-pressed") === "true";
}

function show(button, liked) {
  button.setAttribute("aria-pressed", String(liked));
  button.classList.toggle("is-fresh", liked);
}

function stepped(number, by) {
  const value = Number(number.replace(/\D/g, "")) + by;
  return new Intl.NumberFormat("en").format(Math.max(0, value));
}
