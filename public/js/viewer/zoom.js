// Enlarges the picture of a viewer by a tap; the next tap shows it whole again.

// By how much a picture grows at least.
const MIN_FACTOR = 2;

/** Handles taps on the picture in `place`. */
export function zoomOnTap(place) {
  place.addEventListener("click", (event) => {
    const picture = event.target.closest(".viewer-picture");
    if (picture) toggle(picture, event);
  });
}

export const isZoomed = (place) => place.querySelector(".is-zoomed") !== null;

function toggle(picture, event) {
  const frame = picture.closest(".viewer-figure");
  if (!frame.classList.toggle("is-zoomed")) {
    picture.style.width = "";
    return;
  }
  const box = picture.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const natural = Number(picture.getAttribute("width")) / devicePixelRatio || 0;
  const factor = Math.max(MIN_FACTOR, natural / box.width);
  picture.style.width = `${box.width * factor}px`;
  // The point that was tapped stays where it is.
  const whole = frame.getBoundingClientRect();
  frame.scrollTo(
    x * factor - (event.clientX - whole.left),
    y * factor - (event.clientY - whole.top),
  );
  // The whole file, once it is needed.
  if (picture.dataset.full) picture.src = picture.dataset.full;
  delete picture.dataset.full;
}
