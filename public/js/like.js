// Likes in place: shown at once, then corrected by the server's answer.
import { parsePage, post, showError } from "./base/fetch.js";
import { number } from "./base/format.js";
import { text } from "./base/texts.js";
import { showToast } from "./base/toasts.js";

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
    setLiked(button, liked);
    count.textContent = adjusted(before.number, liked ? 1 : -1);
    const fields = new FormData(button.form);
    const link = new URL(card.querySelector(".post-line a").href).pathname;
    // The post's own page is the smallest one with the correct count.
    fields.set("next", link);
    try {
      const page = await parsePage(await post(`${link}/${liked ? "like" : "unlike"}`, fields));
      const truth = page.querySelector(`[data-id="${card.dataset.id}"] [data-testid=like-count]`);
      if (truth) {
        count.textContent = truth.textContent;
        // The word for screen readers: "1 like", "2 likes".
        count.nextElementSibling.textContent = truth.nextElementSibling.textContent;
      }
      button.formAction = `${link}/${liked ? "unlike" : "like"}`;
    } catch (failure) {
      setLiked(button, before.liked);
      count.textContent = before.number;
      if (failure.status) showError(failure);
      else showToast(text("offline"));
    } finally {
      waiting = false;
    }
  });
}

function isLiked(button) {
  return button.getAttribute("aria-pressed") === "true";
}

function setLiked(button, liked) {
  button.setAttribute("aria-pressed", String(liked));
  button.classList.toggle("is-fresh", liked);
}

function adjusted(shown, by) {
  const value = Number(shown.replace(/\D/g, "")) + by;
  return number(Math.max(0, value));
}
