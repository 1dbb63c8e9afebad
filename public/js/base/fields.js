// Conveniences of form fields: growing text areas, visible passwords, previews of pictures.
export function growTextareas(root) {
  if (CSS.supports("field-sizing", "content")) return;
  for (const field of root.querySelectorAll("textarea")) {
    const grow = () => {
      field.style.height = "auto";
      field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
    };
    field.addEventListener("input", grow);
    if (field.value) grow();
  }
}

export function addPasswordToggles(root) {
  for (const place of root.querySelectorAll("[data-reveal]")) {
    if (place.querySelector("button")) continue;
    const field = place.querySelector("input");
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-controls", field.id);
    const show = (open) => {
      field.type = open ? "text" : "password";
      button.textContent = open ? place.dataset.hide : place.dataset.show;
    };
    show(false);
    button.addEventListener("click", () => {
      show(field.type === "password");
      field.focus();
    });
    // Submitted as a password, so that browsers do not remember it as ordinary text.
    field.form?.addEventListener("submit", () => show(false));
    place.append(button);
  }
}

export function previewImages(root) {
  for (const field of root.querySelectorAll("input[type=file][data-preview]")) {
    field.addEventListener("change", () => showChosen(field));
  }
}

/** Shows the chosen picture, or its name if it has a format that the browser can't show. */
function showChosen(field) {
  const row = field.closest(".file-row");
  const name = row.parentElement.querySelector("[data-file-name]");
  const file = field.files[0];
  if (!file) return;
  const image = new Image();
  image.className = "avatar";
  image.alt = "";
  image.onload = () => {
    row.querySelector(".avatar").replaceWith(image);
    name.textContent = "";
    URL.revokeObjectURL(image.src);
  };
  image.onerror = () => {
    name.textContent = file.name;
    URL.revokeObjectURL(image.src);
  };
  image.src = URL.createObjectURL(file);
}
