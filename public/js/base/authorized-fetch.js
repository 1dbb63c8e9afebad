// Requests for sending what is queued: each has a timeout, and says why it is useless to go on.
import { pageUser } from "./current-user.js";

// Timeout of a request, in ms.
const TIMEOUT = 30_000;

/** Timeout of a request with files, in ms: nine pictures over a slow network. */
export const FILES_TIMEOUT = 300_000;

/**
 * The reason why sending stopped: "unreachable", "later" (the server is busy or broken),
 * "signed-out", or "other" (another user is signed in). `pause` is the least time to wait, in ms.
 */
export class SyncError extends Error {
  constructor(why, pause = 0) {
    super(why);
    this.why = why;
    this.pause = pause;
  }
}

/**
 * Sends a request to this site; throws `SyncError` when it cannot be reached, or when there is no
 * answer within `timeout` ms.
 */
export async function authorizedFetch(address, options, timeout = TIMEOUT) {
  try {
    return await fetch(address, {
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(timeout),
      ...options,
    });
  } catch {
    throw new SyncError("unreachable");
  }
}

/** A CSRF token, if `person` is the user who is signed in; throws `SyncError` otherwise. */
export async function csrfTokenFor(person) {
  const response = await authorizedFetch("/csrf", { headers: { Accept: "application/json" } });
  if (!response.ok) throw new SyncError("later", retryAfter(response));
  const known = await response.json().catch(() => {
    throw new SyncError("unreachable");
  });
  if (!known.user) throw new SyncError("signed-out");
  if (known.user !== person) throw new SyncError(pageUser() ? "other" : "signed-out");
  return known.token;
}

/** The time that a response asks to wait, in ms. */
export function retryAfter(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return Number.isFinite(seconds) ? Math.min(seconds, 3600) * 1000 : 0;
}
