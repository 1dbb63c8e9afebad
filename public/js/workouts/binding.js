// The binding: the one device on which a user records workouts
// (docs/developer/product.md#device-binding). It is requested when a recording starts; uploads do
// not need it.
import { loadValue, saveValue } from "../base/current-user.js";
import { transact } from "../base/database.js";
import { jsonOf, apiFor, errorOf, getJSON, SyncError } from "./api.js";
import { deviceID, randomUUID } from "./device-id.js";

const NAME = "binding";
const ATTEMPT = "binding-attempt";

/**
 * Binds this browser to the user. Gives `{state: "bound"}`; `{state: "other", name, since}` when
 * another device is bound (`name` may be null); or `{state: "unknown", why}` when the server cannot
 * be reached: recording needs no network, and goes on.
 */
export async function bind(user) {
  try {
    const call = await apiFor(user);
    // Reports older unbindings first, so that they do not end the new binding.
    await reportUnbound();
    const answer = await call(
      "PUT",
      "/devices/binding",
      {
        device_id: await deviceID(),
        name: deviceName(),
      },
      { "Idempotency-Key": await attemptKey(user) },
    );
    if (answer.status < 500) await saveValue(user, ATTEMPT, null);
    if (answer.status === 403 && (await errorOf(answer.clone())).code === "device_already_bound") {
      const { name, bound_since: since } = await getJSON("/devices/binding");
      return { state: "other", name, since };
    }
    const { unbind_token: token } = await jsonOf(answer);
    // Saved for unbinding later, also without a session.
    if (token) await saveValue(user, NAME, { token });
    return { state: "bound" };
  } catch (stop) {
    if (!(stop instanceof SyncError)) throw stop;
    const known = await loadValue(user, NAME);
    return known ? { state: "bound" } : { state: "unknown", why: stop.why };
  }
}

/**
 * The Idempotency-Key. The server tells the token once; a repeated request with the same key gets
 * it again.
 */
async function attemptKey(user) {
  const key = (await loadValue(user, ATTEMPT)) ?? randomUUID();
  await saveValue(user, ATTEMPT, key);
  return key;
}

/** The device's name in the user's settings: "Chrome, Android". */
function deviceName() {
  const { userAgent } = navigator;
  const browsers = {
    Edge: /Edg\//,
    Firefox: /Firefox|FxiOS/,
    Chrome: /Chrome|CriOS/,
    Safari: /Safari/,
  };
  const systems = {
    iPhone: /iPhone/,
    iPad: /iPad/,
    Android: /Android/,
    Windows: /Windows/,
    Mac: /Mac OS/,
    Linux: /Linux/,
  };
  const first = (known) => Object.keys(known).find((name) => known[name].test(userAgent));
  return [first(browsers), first(systems)].filter(Boolean).join(", ") || "Browser";
}

/**
 * Tells the server that a user has signed out of this device. It ends the binding only if this
 * device is still bound. Gives the `SyncError` that prevented it.
 */
export async function reportUnbound() {
  const row = await transact("readonly", (all) => all.objectStore("told").get(["", "unbind"]));
  const device = await deviceID();
  for (const token of row?.value ?? []) {
    try {
      const answer = await fetch("/api/v1/devices/unbind", {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ device_id: device, unbind_token: token }),
      });
      // A token that the server does not know has nothing left to end.
      const isDone = answer.ok || [400, 401, 404, 410, 422].includes(answer.status);
      if (!isDone) return new SyncError("later");
    } catch {
      return new SyncError("unreachable");
    }
    await transact("readwrite", (all) => {
      const told = all.objectStore("told");
      const found = told.get(["", "unbind"]);
      found.onsuccess = () => {
        const left = (found.result?.value ?? []).filter((other) => other !== token);
        told.put({ user: "", name: "unbind", value: left });
      };
    });
  }
  return undefined;
}
