// The offer to continue, save or discard a ride that was left.
import { clock, dateTime } from "../../base/format.js";
import { isResumable, movingSeconds } from "./riding-time.js";
import { phrase } from "./recorder-words.js";

export function showOffer(place, ride) {
  const { started_at: at, last_at: last, ended } = ride;
  const length = clock(movingSeconds(ride, last));
  place.querySelector("[data-offer]").textContent = ended
    ? phrase("offerEnded", dateTime(at), length)
    : phrase("offer", dateTime(at), length);
  if (ended) place.querySelector("h2").textContent = phrase("unsaved");
  const isOpen = isResumable(ride, Date.now());
  place.querySelector("[data-do=go-on]").hidden = !isOpen;
  place.querySelector("[data-do=save-it]").classList.toggle("button-outline", isOpen);
}
