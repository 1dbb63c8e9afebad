// A dialog for messages that need an answer; a toast would be gone too soon.
export function showNotice(words) {
  const template = document.getElementById("notice-template");
  if (!template || !words) return;
  const dialog = template.content.firstElementChild.cloneNode(true);
  dialog.querySelector("[data-text]").textContent = words;
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
