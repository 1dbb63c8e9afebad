// Calls of the API for one person: never with another's session, and a reason when there is no use
// in going on.
import { pauseOf, permission, reach, Stop } from "../base/authorized-fetch.js";

export { Stop };

const ROOT = "/api/v1";
// In ms: a batch of long workouts takes its time on a phone.
const PATIENCE = 120_000;

/** Reads JSON; throws `Stop` when there is none to be had. */
export async function read(path) {
  const answer = await reach(ROOT + path, { headers: { Accept: "application/json" } });
  return bodyOf(answer);
}

/** A way to change things as `person`, who must be signed in: `call(method, path, body, headers)`. */
export async function callsOf(person) {
  let token = await permission(person);
  const send = (method, path, body, headers) => reach(ROOT + path, {
    method,
    headers: { "Content-Type": "application/json", "X-CSRF-Token": token, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  return async (method, path, body, headers = {}) => {
    const answer = await send(method, path, body, headers);
    if (answer.status !== 403 || (await errorOf(answer.clone())).code !== "csrf") return answer;
    token = await permission(person);
    return send(method, path, body, headers);
  };
}

/** The JSON of a good answer; throws `Stop` for any other. */
export async function bodyOf(answer) {
  if (answer.status === 401) throw new Stop("signed-out");
  if (!answer.ok) throw new Stop("later", pauseOf(answer));
  try {
    return await answer.json();
  } catch {
    throw new Stop("unreachable");
  }
}

/** What the server says is wrong: `{code, message}`. */
export async function errorOf(answer) {
  const { error } = await answer.json().catch(() => ({}));
  return { code: error?.code ?? `${answer.status}`, message: error?.message ?? "" };
}
