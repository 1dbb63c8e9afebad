// Reports that a contact looked at the page of an alert. Mail scanners open links too, so nothing is
// sent before the page has been visible for a moment.
const LOOKED_AT = 2000;

export function start(form) {
  const send = () => {
    if (document.visibilityState !== "visible") {
      document.addEventListener("visibilitychange", () => setTimeout(send, LOOKED_AT), {
        once: true,
      });
      return;
    }
    const fields = new FormData(form);
    fields.set("button", "opened");
    fetch(form.action, {
      method: "POST",
      credentials: "same-origin",
      body: new URLSearchParams([...fields]),
    }).catch(() => {
      // The page works without it.
    });
  };
  setTimeout(send, LOOKED_AT);
}
