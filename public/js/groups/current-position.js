// "Use my position" in the form of a waypoint.
import { showNotice } from "../base/notice.js";

const DENIED = 1;

/** Coordinates as the form's field takes them: in degrees, to about a metre. */
export const coordinates = ({ latitude, longitude }) =>
  `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;

/** Fills in the form's place when the button is pressed. */
export function start(button) {
  if (!("geolocation" in navigator)) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    // Meanwhile the server's part of the page may be replaced.
    const page = button.closest("[data-group-live]");
    const words = page.querySelector("[data-group-words]").dataset;
    button.disabled = true;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        button.disabled = false;
        const form = button.isConnected ? button.form : page.querySelector("[data-group-waypoint]");
        if (!form) return;
        form.elements.place.value = coordinates(coords);
      },
      ({ code }) => {
        button.disabled = false;
        showNotice(code === DENIED ? words.refused : words.noPlace);
      },
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 },
    );
  });
}
