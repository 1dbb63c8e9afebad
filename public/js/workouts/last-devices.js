// The devices that were used last, where a browser lets a page have them without asking.
import { recall } from "../base/current-user.js";

/** Connects what was connected last time, by itself and as far as it can be. */
export function resumeLast(user, devices) {
  for (const [kind, device] of Object.entries(devices)) {
    recall(user, kind)
      .then((kept) => kept && device.state === "off" && device.resume(kept.id))
      .catch(() => {});
  }
}
