// "Use the place where I am" in the form of a waypoint.
import { notice } from "../base/notice.js";

const DENIED = 1;

/** Fills in the form's latitude and longitude when the button is pressed. */
export function start(button) {
  if (!("geolocation" in navigator)) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    // By the time of the answer the server may have written the form anew.
    const page = button.closest("[data-group-live]");
    const words = page.querySelector("[data-group-words]").dataset;
    button.disabled = true;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        button.disabled = false;
        const form = button.isConnected ? button.form : page.querySelector("[data-group-waypoint]");
        if (!form) return;
        // A metre or so: no place is known more finely.
        form.elements.latitude.value = coords.latitude.toFixed(5);
        form.elements.longitude.value = coords.longitude.toFixed(5);
      },
      ({ code }) => {
        button.disabled = false;
        notice(code === DENIED ? words.refused : words.noPlace);
      },
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 },
    );
  });
}
