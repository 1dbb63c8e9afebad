// API calls for one user: never in the session of another user, and with a reason to stop.
import { retryAfter, csrfTokenFor, authorizedFetch, SyncError } from "../base/authorized-fetch.js";

export { SyncError };

const ROOT = "/api/v1";
// In ms: a batch of long workouts takes time on a phone.
const TIMEOUT = 120_000;

/** Requests JSON; throws `SyncError` when there is none. */
export async function getJSON(path) {
  const answer = await authorizedFetch(ROOT + path, { headers: { Accept: "application/json" } });
  return jsonOf(answer);
}

/**
 * A function for changes as `person`, who must be signed in: `call(method, path, body, headers)`.
 */
export async function apiFor(person) {
  let token = await csrfTokenFor(person);
  const send = (method, path, body, headers) =>
    authorizedFetch(ROOT + path, {
      method,
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    });
  return async (method, path, body, headers = {}) => {
    const answer = await send(method, path, body, headers);
    if (answer.status !== 403 || (await errorOf(answer.clone())).code !== "csrf") return answer;
    token = await csrfTokenFor(person);
    return send(method, path, body, headers);
  };
}

/** The JSON of a successful response; throws `SyncError` for any other. */
export async function jsonOf(answer) {
  if (answer.status === 401) throw new SyncError("signed-out");
  if (!answer.ok) throw new SyncError("later", retryAfter(answer));
  try {
    return await answer.json();
  } catch {
    throw new SyncError("unreachable");
  }
}

/** The server's error: `{code, message}`. */
export async function errorOf(answer) {
  const { error } = await answer.json().catch(() => ({}));
  return { code: error?.code ?? `${answer.status}`, message: error?.message ?? "" };
}
