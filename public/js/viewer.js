// Pictures in full size over the page at hand: arrow keys and swipes go from one to the next. What is
// shown is the page that the link leads to; without this, the link leads there.
import { get, pageOf } from "./base/fetch.js";
import { swipes } from "./base/swipes.js";

let dialog = null;

export function start(link) {
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || dialog) return;
    event.preventDefault();
    await open(link);
  });
}

async function open(link) {
  dressed();
  dialog = document.createElement("dialog");
  dialog.className = "viewer-dialog";
  dialog.setAttribute("aria-label", link.querySelector("img")?.alt || link.textContent.trim());
  document.body.append(dialog);
  // Going back closes it, as one expects of what fills the screen.
  history.pushState({ viewer: true }, "");
  const back = () => dialog?.close();
  addEventListener("popstate", back);
  dialog.addEventListener("close", () => {
    removeEventListener("popstate", back);
    if (history.state?.viewer) history.back();
    dialog.remove();
    dialog = null;
    link.focus();
  });
  dialog.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: "before", ArrowRight: "after" }[event.key];
    if (way) go(way, event);
  });
  dialog.addEventListener("click", (event) => {
    const way = event.target.closest("a")?.dataset;
    if (!way) return;
    if ("viewerClose" in way) {
      event.preventDefault();
      dialog.close();
    } else if ("viewerBefore" in way) go("before", event);
    else if ("viewerAfter" in way) go("after", event);
  });
  swipes(dialog, go);
  dialog.showModal();
  await show(link.href);
}

function go(way, event) {
  const link = dialog.querySelector(`[data-viewer-${way}]`);
  if (!link) return;
  event?.preventDefault();
  show(link.href, way);
}

async function show(address, way) {
  const shown = dialog;
  shown.setAttribute("aria-busy", "true");
  try {
    const page = await pageOf(await get(address));
    const part = page.querySelector("[data-viewer]");
    if (!part) throw new Error("no picture");
    if (shown !== dialog) return;
    const fresh = document.importNode(part, true);
    // The dialog has its own keys: nothing else is to listen in it.
    delete fresh.dataset.viewer;
    shown.replaceChildren(fresh);
    (fresh.querySelector(`[data-viewer-${way}]`) ?? fresh.querySelector("[data-viewer-close]"))
      .focus();
  } catch (failure) {
    if (!failure.shown) location.assign(address);
  } finally {
    shown.removeAttribute("aria-busy");
  }
}

// The page's own sheet isn't loaded on pages that only lead to it.
function dressed() {
  const address = new URL("../css/viewer.css", import.meta.url).pathname;
  if (document.querySelector(`link[href="${address}"]`)) return;
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = address;
  document.head.append(sheet);
}
