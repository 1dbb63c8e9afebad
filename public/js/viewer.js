// Shows pictures in full size in a dialog; arrow keys and swipes move between them. Its content
// comes from the page that the link leads to.
import { get, parsePage, showError } from "./base/fetch.js";
import { onSwipe } from "./viewer/swipes.js";
import { isZoomed, zoomOnTap } from "./viewer/zoom.js";

let dialog = null;

export function start(link) {
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || dialog) return;
    event.preventDefault();
    await open(link);
  });
}

async function open(link) {
  loadStylesheet();
  dialog = document.createElement("dialog");
  dialog.className = "viewer-dialog";
  dialog.setAttribute("aria-label", link.querySelector("img")?.alt || link.textContent.trim());
  dialog.append(placeholder(link.querySelector("img")));
  document.body.append(dialog);
  // Going back closes the dialog.
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
    if (way) showNeighbour(way, event);
  });
  dialog.addEventListener("click", (event) => {
    const way = event.target.closest("a")?.dataset;
    if (!way) return;
    if ("viewerClose" in way) {
      event.preventDefault();
      dialog.close();
    } else if ("viewerBefore" in way) showNeighbour("before", event);
    else if ("viewerAfter" in way) showNeighbour("after", event);
  });
  onSwipe(dialog, (way) => isZoomed(dialog) || showNeighbour(way));
  zoomOnTap(dialog);
  dialog.showModal();
  await show(link.href);
}

function showNeighbour(way, event) {
  const link = dialog.querySelector(`[data-viewer-${way}]`);
  if (!link) return;
  event?.preventDefault();
  show(link.href, way);
}

/** Stands in until the picture's page has loaded: the small picture and a way to close it. */
function placeholder(small) {
  const viewer = document.createElement("div");
  viewer.className = "viewer";
  const figure = document.createElement("div");
  figure.className = "viewer-figure";
  if (small) {
    const picture = document.createElement("img");
    picture.className = "viewer-picture";
    // The source that the browser has loaded already.
    picture.src = small.currentSrc || small.src;
    picture.alt = small.alt;
    figure.append(picture);
  }
  const ways = document.createElement("div");
  ways.className = "viewer-ways";
  const close = document.createElement("a");
  close.className = "icon-button";
  close.href = location.href;
  close.dataset.viewerClose = "";
  // The label comes from the notice template, which is on every page.
  const words = document.getElementById("notice-template")?.content.querySelector("button");
  close.setAttribute("aria-label", words?.textContent ?? "");
  const icon = document
    .getElementById("toast-template")
    ?.content.querySelector("svg")
    .cloneNode(true);
  const use = icon?.querySelector("use");
  use?.setAttribute("href", use.getAttribute("href").replace(/#.*/, "#close"));
  close.append(icon ?? "×");
  ways.append(close);
  viewer.append(figure, ways);
  return viewer;
}

async function show(address, way) {
  const shown = dialog;
  shown.setAttribute("aria-busy", "true");
  try {
    const page = await parsePage(await get(address));
    const part = page.querySelector("[data-viewer]");
    if (!part) throw new Error("no picture");
    if (shown !== dialog) return;
    const fresh = document.importNode(part, true);
    // The dialog handles its own keys.
    delete fresh.dataset.viewer;
    const words = fresh.querySelector("img")?.alt || fresh.querySelector("figcaption").textContent;
    shown.setAttribute("aria-label", words.trim() || shown.getAttribute("aria-label"));
    shown.replaceChildren(fresh);
    (
      fresh.querySelector(`[data-viewer-${way}]`) ?? fresh.querySelector("[data-viewer-close]")
    ).focus();
  } catch (failure) {
    // Closed meanwhile.
    if (failure.shown || shown !== dialog) return;
    if (failure.status !== 0) {
      location.assign(address);
      return;
    }
    if (!shown.querySelector("img")) shown.close();
    showError(failure);
  } finally {
    shown.removeAttribute("aria-busy");
  }
}

// Pages that only link to pictures do not load the stylesheet.
function loadStylesheet() {
  const address = new URL("../css/viewer.css", import.meta.url).pathname;
  if (document.querySelector(`link[href="${address}"]`)) return;
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = address;
  document.head.append(sheet);
}
