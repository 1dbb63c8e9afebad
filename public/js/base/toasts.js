// Short confirmations that fade by themselves.
export function showToast(words) {
  const place = document.querySelector("[data-toast]");
  const template = document.getElementById("toast-template");
  if (!place || !template || !words) return;
  const pill = template.content.firstElementChild.cloneNode(true);
  pill.querySelector("span").textContent = words;
  place.replaceChildren(pill);
}

/** Removes a toast once it has faded, so that screen readers do not read it again. */
export function watchToasts() {
  document.querySelector("[data-toast]")?.addEventListener("animationend", (event) => {
    if (/out|vanish/.test(event.animationName)) event.target.remove();
  });
}
