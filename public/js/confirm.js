// Shows a confirmation page as a dialog.
import { get, parsePage } from "./base/fetch.js";

export function start(link) {
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const page = await parsePage(await get(link.href));
      await loadStyles(page);
      openDialog(document.importNode(page.querySelector("[data-dialog-content]"), true));
    } catch (failure) {
      if (!failure.shown) location.assign(link.href);
    }
  });
}

/** Loads stylesheets that only `page` has. Without them its content is still readable. */
async function loadStyles(page) {
  const here = [...document.querySelectorAll("link[rel=stylesheet]")].map((sheet) => sheet.href);
  const lacking = [...page.querySelectorAll("link[rel=stylesheet]")]
    .map((sheet) => sheet.getAttribute("href"))
    .filter((address) => !here.includes(new URL(address, location.href).href));
  await Promise.all(
    lacking.map(
      (address) =>
        new Promise((done) => {
          const sheet = document.createElement("link");
          sheet.rel = "stylesheet";
          sheet.href = address;
          sheet.addEventListener("load", done);
          sheet.addEventListener("error", done);
          document.head.append(sheet);
        }),
    ),
  );
}

/** Shows the content of a confirmation page. */
export function openDialog(content) {
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
