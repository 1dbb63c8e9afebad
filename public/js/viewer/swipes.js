// Horizontal swipes by touch.
const MIN_DISTANCE = 48;

/** Calls `go` with "after" for a swipe to the left, with "before" for one to the right. */
export function onSwipe(place, go) {
  let from = null;
  place.addEventListener(
    "touchstart",
    (event) => {
      from = event.touches.length === 1 ? event.touches[0] : null;
    },
    { passive: true },
  );
  place.addEventListener(
    "touchend",
    (event) => {
      const to = event.changedTouches[0];
      // On an enlarged page the touch scrolls.
      if (!from || (window.visualViewport?.scale ?? 1) > 1.05) return;
      const [across, down] = [to.clientX - from.clientX, to.clientY - from.clientY];
      from = null;
      if (Math.abs(across) < MIN_DISTANCE || Math.abs(across) < 2 * Math.abs(down)) return;
      go(across < 0 ? "after" : "before");
    },
    { passive: true },
  );
}
