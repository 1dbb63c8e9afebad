// Requests to this site with a fresh CSRF token, and one kind of error.
import { text } from "./texts.js";
import { showNotice } from "./notice.js";

// Time in ms for the server to show that it can be reached.
const TIMEOUT = 8_000;

/** A request that failed; `shown` is set once the user has been told. */
class RequestError extends Error {
  constructor(status, response) {
    super(`status ${status}`);
    this.status = status;
    this.response = response;
  }
}

/** Whether there is no network, or the server is down or restarting. */
export function isUnreachable(failure) {
  return !failure.status || [502, 503, 504].includes(failure.status);
}

/** Whether the server answers now. */
export async function isReachable() {
  try {
    await fetch("/healthz", {
      method: "HEAD",
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return true;
  } catch {
    return false;
  }
}

/** Fetches a fresh CSRF token. */
export async function fetchToken() {
  const response = await attempt(() =>
    fetch("/csrf", {
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json" },
    }),
  );
  if (!response.ok) throw new RequestError(response.status, response);
  return (await response.json()).token;
}

/** Posts fields (a FormData). Repeats the request with a new token when the old one is refused. */
export async function post(address, fields, options = {}) {
  const send = () =>
    fetch(address, {
      method: "POST",
      credentials: "same-origin",
      body: options.files ? fields : new URLSearchParams([...fields]),
      signal: options.signal,
    });
  let response = await attempt(send);
  if (response.status === 403 && !isRefusal(await parsePage(response.clone()))) {
    fields.set("csrf_token", await fetchToken());
    response = await attempt(send);
  }
  return ensureSuccess(response);
}

/** Whether the page of a 403 refuses something else than the token. */
export function isRefusal(page) {
  return Boolean(page?.querySelector("[data-refusal]"));
}

/** Calls the API with a JSON body. */
export async function callAPI(method, address, body) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": await fetchToken() };
  const send = () =>
    fetch(address, { method, credentials: "same-origin", headers, body: JSON.stringify(body) });
  return ensureSuccess(await attempt(send));
}

/** Requests a page. */
export async function get(address, options = {}) {
  const read = () => fetch(address, { credentials: "same-origin", signal: options.signal });
  return ensureSuccess(await attempt(read));
}

/** Parses the page in a response into a document that runs no scripts. */
export async function parsePage(response) {
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Shows what went wrong and what to do next. */
export function showError(failure) {
  if (failure.name === "AbortError" || failure.shown) return;
  showNotice(text(textNameFor(failure.status)));
}

function textNameFor(status) {
  if (status === 0) return "offline";
  if (status === 404 || status === 410) return "gone";
  if (status === 413) return "tooLarge";
  if (status === 429 || status === 503) return "later";
  return "failed";
}

async function attempt(send) {
  try {
    return await send();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError(0);
  }
}

function ensureSuccess(response) {
  const gone = response.redirected && new URL(response.url).pathname === "/sign-in";
  if (gone || response.status === 401) {
    const here = location.pathname + location.search;
    location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
    const failure = new RequestError(401, response);
    failure.shown = true;
    throw failure;
  }
  if (!response.ok) throw new RequestError(response.status, response);
  return response;
}
