// Copying and sharing a post's link, as the first entries of its menu, and saving the post in place.
import { callAPI, showError } from "./base/fetch.js";
import { showToast } from "./base/toasts.js";

const template = () => document.getElementById("post-menu-template");

export function start(menu) {
  menu.addEventListener("toggle", () => add(menu), { once: true });
  menu.querySelector("[data-save]")?.addEventListener("click", (event) => {
    if (!template()) return;
    event.preventDefault();
    toggleSaved(menu, event.currentTarget);
  });
}

/** Saves a post, or removes it from the saved ones. */
async function toggleSaved(menu, button) {
  const { id } = menu.closest("[data-id]").dataset;
  const wasSaved = "isSaved" in button.dataset;
  const words = template().dataset;
  menu.open = false;
  try {
    await callAPI(wasSaved ? "DELETE" : "POST", `/api/v1/posts/${id}/save`);
    if (wasSaved) delete button.dataset.isSaved;
    else button.dataset.isSaved = "";
    button.querySelector("span").textContent = wasSaved ? words.save : words.unsave;
    button.formAction = `/posts/${id}/${wasSaved ? "save" : "unsave"}`;
    showToast(wasSaved ? words.unsaved : words.saved);
  } catch (failure) {
    showError(failure);
  }
}

function add(menu) {
  const list = menu.querySelector(".menu-list");
  const card = menu.closest("[data-id]");
  if (!template() || !card || list.querySelector("[data-copy-link]")) return;
  const { href } = card.querySelector(".post-line a");
  const items = template().content.cloneNode(true);
  const copy = items.querySelector("[data-copy-link]");
  const share = items.querySelector("[data-share]");
  copy.addEventListener("click", async () => {
    menu.open = false;
    try {
      await navigator.clipboard.writeText(href);
      showToast(copy.dataset.copied);
    } catch {
      // The browser forbids it: the link is behind the post's time.
      showToast(href);
    }
  });
  if (navigator.share) {
    share.addEventListener("click", () => {
      menu.open = false;
      // Rejects when the user closes the dialog.
      navigator.share({ url: href }).catch(() => {});
    });
  } else {
    share.remove();
  }
  list.prepend(items);
}
