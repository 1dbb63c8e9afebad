// The page of one picture: arrow keys and swipes follow its links.
import { swipes } from "./base/swipes.js";

export function start(viewer) {
  const go = (way) => viewer.querySelector(`[data-viewer-${way}]`)?.click();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowLeft: "before", ArrowRight: "after", Escape: "close" }[event.key];
    if (way) go(way);
  });
  swipes(viewer, go);
}
