// Copying and sharing a post's link, as the first entries of its menu.
import { showToast } from "./base/toasts.js";

export function start(menu) {
  menu.addEventListener("toggle", () => add(menu), { once: true });
}

function add(menu) {
  const list = menu.querySelector(".menu-list");
  const template = document.getElementById("post-menu-template");
  const card = menu.closest("[data-id]");
  if (!template || !card || list.querySelector("[data-copy-link]")) return;
  const { href } = card.querySelector(".post-line a");
  const items = template.content.cloneNode(true);
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
