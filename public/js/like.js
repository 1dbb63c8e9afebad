// Likes in place: at once for the eye, then for sure.
import { pageOf, post, tell } from "./base/fetch.js";
import { number } from "./base/format.js";

export function start(button) {
  const count = button.querySelector("[data-testid=like-count]");
  const card = button.closest("[data-id]");
  let waiting = false;

  button.addEventListener("click", async (event) => {
    event.preventDefault();
    if (waiting) return;
    waiting = true;
    const before = { liked: isLiked(button), number: count.textContent };
    const liked = !before.liked;
    show(button, liked);
    count.textContent = stepped(before.number, liked ? 1 : -1);
    const fields = new FormData(button.form);
    const link = new URL(card.querySelector(".post-line a").href).pathname;
    // The post's own page is the smallest answer that carries the true count.
    fields.set("next", link);
    try {
      const page = await pageOf(await post(`${link}/${liked ? "like" : "unlike"}`, fields));
      const truth = page.querySelector(`[data-id="${card.dataset.id}"] [data-testid=like-count]`);
      if (truth) {
        count.textContent = truth.textContent;
        // "1 like", "2 likes": the word beside it is for those who listen.
        count.nextElementSibling.textContent = truth.nextElementSibling.textContent;
      }
      button.formAction = `${link}/${liked ? "unlike" : "like"}`;
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

function stepped(shown, by) {
  const value = Number(shown.replace(/\D/g, "")) + by;
  return number(Math.max(0, value));
}
