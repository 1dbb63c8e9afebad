// One short sentence that says that something is done.
export function toast(words) {
  const place = document.querySelector("[data-toast]");
  const shape = document.getElementById("toast-shape");
  if (!place || !shape || !words) return;
  const pill = shape.content.firstElementChild.cloneNode(true);
  pill.querySelector("span").textContent = words;
  place.replaceChildren(pill);
}

/** Takes a toast out of the page once it has faded, so that nothing reads it again. */
export function watchToast() {
  document.querySelector("[data-toast]")?.addEventListener("animationend", (event) => {
    if (/out|vanish/.test(event.animationName)) event.target.remove();
  });
}
