// A ride that was left, above the history: the recorder offers to save it.
import { currentUser } from "../base/current-user.js";
import { clock } from "../base/format.js";
import { RecordingLock } from "./recorder/recording-lock.js";
import { isResumable, movingSeconds } from "./recorder/riding-time.js";
import { unfinishedRide } from "./workout-store.js";

export function start(place) {
  const show = async () => {
    const ride = await leftRide().catch(() => {});
    place.hidden = !ride;
    if (!ride) return;
    place.querySelector("[data-length]").textContent = clock(movingSeconds(ride, ride.last_at));
    const isOpen = isResumable(ride, Date.now());
    for (const part of place.querySelectorAll("[data-resumable]")) {
      part.hidden = part.dataset.resumable !== String(isOpen);
    }
  };
  show();
  // The page may come back unchanged from the browser's cache.
  addEventListener("pageshow", ({ persisted }) => persisted && show());
}

/** The ride, unless there is none or another tab records it. */
async function leftRide() {
  const user = await currentUser();
  const ride = user && (await unfinishedRide(user));
  return ride && (await new RecordingLock().isFree()) ? ride : undefined;
}
