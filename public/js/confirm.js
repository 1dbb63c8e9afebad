// Shows a page that asks first as a dialog, where one already is.
import { get, pageOf } from "./base/fetch.js";

export function start(link) {
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const page = await pageOf(await get(link.href));
      open(document.importNode(page.querySelector("[data-dialog-content]"), true));
    } catch (failure) {
      if (!failure.shown) location.assign(link.href);
    }
  });
}

/** Shows the content of such a page. */
export function open(content) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  const title = content.querySelector(".dialog-title");
  title.id = "dialog-title";
  dialog.setAttribute("aria-labelledby", title.id);
  content.classList.remove("confirm");
  dialog.append(content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    const away = event.target === dialog;
    const out = event.target.closest("[data-dialog-close]");
    if (!away && !out) return;
    event.preventDefault();
    dialog.close();
  });
  for (const menu of document.querySelectorAll("details[data-menu][open]")) menu.open = false;
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("[data-dialog-close]")?.focus();
}
