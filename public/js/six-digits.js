// Sends a form with a code of six digits once the last one is entered.

/** Watches the code of a form. */
export function start(form) {
  const field = form.querySelector("[name=code]");
  field.addEventListener("input", () => {
    if (/^\d{6}$/.test(field.value.replaceAll(" ", ""))) {
      form.requestSubmit(form.querySelector("button:not([type=button])"));
    }
  });
}
