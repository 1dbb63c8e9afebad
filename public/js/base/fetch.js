// Requests to our own server, with a token that is never stale, and one way to tell what went wrong.
import { text } from "./texts.js";
import { notice } from "./notice.js";

/** A request that got no good answer; `shown` once the person has been told. */
export class Failure extends Error {
  constructor(status, response) {
    super(`status ${status}`);
    this.status = status;
    this.response = response;
  }
}

/** A fresh CSRF token. */
export async function freshToken() {
  const response = await reach(() =>
    fetch("/csrf", {
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json" },
    }));
  if (!response.ok) throw new Failure(response.status, response);
  return (await response.json()).token;
}

/** Sends fields (a FormData) by POST; asks for a new token once when the old one is refused. */
export async function post(address, fields, options = {}) {
  const send = () =>
    fetch(address, {
      method: "POST",
      credentials: "same-origin",
      body: options.files ? fields : new URLSearchParams([...fields]),
      signal: options.signal,
    });
  let response = await reach(send);
  if (response.status === 403) {
    fields.set("csrf_token", await freshToken());
    response = await reach(send);
  }
  return good(response);
}

/** Calls the API with a body in JSON. */
export async function call(method, address, body) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": await freshToken() };
  const send = () =>
    fetch(address, { method, credentials: "same-origin", headers, body: JSON.stringify(body) });
  return good(await reach(send));
}

/** Reads a page. */
export async function get(address, options = {}) {
  const read = () => fetch(address, { credentials: "same-origin", signal: options.signal });
  return good(await reach(read));
}

/** The page in an answer, as a document that runs nothing. */
export async function pageOf(response) {
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Tells the person what went wrong, in words that say what to do next. */
export function tell(failure) {
  if (failure.name === "AbortError" || failure.shown) return;
  notice(text(wordFor(failure.status)));
}

function wordFor(status) {
  if (status === 0) return "offline";
  if (status === 404 || status === 410) return "gone";
  if (status === 413) return "tooLarge";
  if (status === 429 || status === 503) return "later";
  return "failed";
}

async function reach(send) {
  try {
    return await send();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0);
  }
}

function good(response) {
  const gone = response.redirected && new URL(response.url).pathname === "/sign-in";
  if (gone || response.status === 401) {
    const here = location.pathname + location.search;
    location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
    const failure = new Failure(401, response);
    failure.shown = true;
    throw failure;
  }
  if (!response.ok) throw new Failure(response.status, response);
  return response;
}
