// The button that offers a corrected address: fills it in, without sending the form, and is not the
// one that Enter presses.
export function start(button) {
  button.type = "button";
  button.addEventListener("click", () => {
    const field = button.form.elements[button.value];
    field.value = button.dataset.suggestion;
    field.removeAttribute("aria-invalid");
    document.getElementById(field.getAttribute("aria-describedby"))?.remove();
    button.parentElement.remove();
    document.querySelector("#errors")?.remove();
    field.focus();
  });
}
