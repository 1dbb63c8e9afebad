// "Use the place where I am" in the form of a waypoint.
import { notice } from "../base/notice.js";

/** Fills in the form's latitude and longitude when the button is pressed. */
export function start(button) {
  if (!("geolocation" in navigator)) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    button.disabled = true;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const fields = button.form.elements;
        // A metre or so: no place is known more finely.
        fields.latitude.value = coords.latitude.toFixed(5);
        fields.longitude.value = coords.longitude.toFixed(5);
        button.disabled = false;
      },
      () => {
        notice(button.closest("[data-group-live]").querySelector("[data-group-words]").dataset.refused);
        button.disabled = false;
      },
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 },
    );
  });
}
