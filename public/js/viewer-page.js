// The page of one picture: arrow keys and swipes follow its links.
import { swipes } from "./base/swipes.js";

export function start(viewer) {
  const go = (way) => viewer.querySelector(`[data-viewer-${way}]`)?.click();
  const listen = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The keys are those of what is open over the picture.
    if (document.querySelector("details[open], dialog[open]")) return;
    const way = { ArrowLeft: "before", ArrowRight: "after", Escape: "close" }[event.key];
    if (way) go(way);
  };
  // Before a menu hears it: afterwards it would be closed already.
  document.addEventListener("keydown", listen, true);
  swipes(viewer, go);
}
