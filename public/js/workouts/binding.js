// The one device on which a person's workouts are recorded
// (docs/developer/product.md#device-binding). It is asked for where recording starts; uploads never
// need it.
import { recall, remember } from "../base/current-user.js";
import { transact } from "../base/database.js";
import { bodyOf, callsOf, errorOf, read, Stop } from "./api.js";
import { deviceID, freshUUID } from "./device-id.js";

const NAME = "binding";
const ATTEMPT = "binding-attempt";

/**
 * Makes this browser the one that records. Gives `{state: "bound"}`; `{state: "other", name,
 * since}` when it is another device (name may be null); or `{state: "unknown", why}` when the
 * server can't be asked: recording goes on all the same, for it needs no network.
 */
export async function bind(user) {
  try {
    const call = await callsOf(user);
    // News that waits is about a binding of before, and must not end this one.
    await tellUnbound();
    const answer = await call("PUT", "/devices/binding", {
      device_id: await deviceID(), name: deviceName(),
    }, { "Idempotency-Key": await attempt(user) });
    if (answer.status < 500) await remember(user, ATTEMPT, null);
    if (answer.status === 403 && (await errorOf(answer.clone())).code === "device_already_bound") {
      const { name, bound_since: since } = await read("/devices/binding");
      return { state: "other", name, since };
    }
    const { unbind_token: token } = await bodyOf(answer);
    // Kept to let go later, also when nobody is signed in any more.
    if (token) await remember(user, NAME, { token });
    return { state: "bound" };
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop;
    const known = await recall(user, NAME);
    return known ? { state: "bound" } : { state: "unknown", why: stop.why };
  }
}

/** The token is told once: with the same key, an answer that was lost comes again. */
async function attempt(user) {
  const key = (await recall(user, ATTEMPT)) ?? freshUUID();
  await remember(user, ATTEMPT, key);
  return key;
}

/** Releases whichever device is bound, after asking again. Gives null, or what is wrong with it. */
export async function release(user, password) {
  const call = await callsOf(user);
  const answer = await call("DELETE", "/devices/binding", { password });
  return answer.ok ? null : errorOf(answer);
}

/** What the owner sees in a list: "Chrome, Android". */
function deviceName() {
  const { userAgent } = navigator;
  const browsers = { Edge: /Edg\//, Firefox: /Firefox|FxiOS/, Chrome: /Chrome|CriOS/, Safari: /Safari/ };
  const systems = {
    iPhone: /iPhone/, iPad: /iPad/, Android: /Android/, Windows: /Windows/, Mac: /Mac OS/,
    Linux: /Linux/,
  };
  const first = (known) => Object.keys(known).find((name) => known[name].test(userAgent));
  return [first(browsers), first(systems)].filter(Boolean).join(", ") || "Browser";
}

/**
 * Tells the server that whoever signed out here has let go of this device, as often as it takes.
 * It acts only if that device is still the bound one. Gives the `Stop` that kept it from doing so.
 */
export async function tellUnbound() {
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
      // A token that the server doesn't know any more has nothing left to do.
      const isDone = answer.ok || [400, 401, 404, 410, 422].includes(answer.status);
      if (!isDone) return new Stop("later");
    } catch {
      return new Stop("unreachable");
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
