// The page of one picture: arrow keys and swipes follow its links.
import { onSwipe } from "./viewer/swipes.js";
import { isZoomed, zoomOnTap } from "./viewer/zoom.js";

export function start(viewer) {
  const go = (way) => viewer.querySelector(`[data-viewer-${way}]`)?.click();
  const listen = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // While a menu or dialog is open, the keys belong to it.
    if (document.querySelector("details[open], dialog[open]")) return;
    if (event.target.matches("input, textarea")) return;
    const way = { ArrowLeft: "before", ArrowRight: "after", Escape: "close" }[event.key];
    if (way) go(way);
  };
  // Captures the key before a menu handles it and closes.
  document.addEventListener("keydown", listen, true);
  onSwipe(viewer, (way) => isZoomed(viewer) || go(way));
  zoomOnTap(viewer);
}
