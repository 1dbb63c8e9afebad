// Requests that send what waited: each ends in time, and tells why there is no use in going on.
import { pageUser } from "./current-user.js";

// How long one request may take, in ms.
const PATIENCE = 30_000;

/**
 * A reason to stop and try again: "unreachable", "later" (the server is busy or broken),
 * "signed-out", "other" (somebody else is signed in by now). `pause` is the least time to wait, ms.
 */
export class Stop {
  constructor(why, pause = 0) {
    this.why = why;
    this.pause = pause;
  }
}

/** Asks our server; throws `Stop` when it can't be reached. */
export async function reach(address, options) {
  try {
    return await fetch(address, {
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE),
      ...options,
    });
  } catch {
    throw new Stop("unreachable");
  }
}

/** A fresh token, if `person` is the one who is signed in; throws `Stop` otherwise. */
export async function permission(person) {
  const response = await reach("/csrf", { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Stop("later", pauseOf(response));
  const known = await response.json().catch(() => {
    throw new Stop("unreachable");
  });
  if (!known.user) throw new Stop("signed-out");
  if (known.user !== person) throw new Stop(pageUser() ? "other" : "signed-out");
  return known.token;
}

/** How long an answer asks to wait, in ms. */
export function pauseOf(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return Number.isFinite(seconds) ? Math.min(seconds, 3600) * 1000 : 0;
}
