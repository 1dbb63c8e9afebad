// The devices that were used last, where a browser connects them without asking.
import { loadValue } from "../../base/current-user.js";

/** Reconnects the last devices as far as possible. */
export function reconnectLastDevices(user, devices) {
  for (const [kind, device] of Object.entries(devices)) {
    loadValue(user, kind)
      .then((kept) => kept && device.state === "off" && device.resume(kept.id))
      .catch(() => {});
  }
}
