// A dialog for messages that need an answer; a toast would be gone too soon.
export function showNotice(words) {
  const shape = document.getElementById("notice-shape");
  if (!shape || !words) return;
  const dialog = shape.content.firstElementChild.cloneNode(true);
  dialog.querySelector("[data-text]").textContent = words;
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
