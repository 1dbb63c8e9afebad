// Short confirmations that fade by themselves.
export function showToast(words) {
  const place = document.querySelector("[data-toast]");
  const template = document.getElementById("toast-template");
  if (!place || !template || !words) return;
  const pill = template.content.firstElementChild.cloneNode(true);
  pill.querySelector("span").textContent = words;
  place.replaceChildren(pill);
}

/** Shows the toast of another page of the server, with its link. */
export function showToastOf(page) {
  const pill = page.querySelector("[data-toast] > *");
  const place = document.querySelector("[data-toast]");
  if (pill && place) place.replaceChildren(document.importNode(pill, true));
}

/** Removes a toast once it has faded, so that screen readers do not read it again. */
export function watchToasts() {
  document.querySelector("[data-toast]")?.addEventListener("animationend", (event) => {
    if (/out|vanish/.test(event.animationName)) event.target.remove();
  });
}
