// Sends a form by XMLHttpRequest, which reports progress, and shows the response.
import { chosenFiles } from "./chosen-files.js";
import { fetchToken, isRefusal } from "./fetch.js";
import { swap } from "./swap.js";

/**
 * Sends the fields and shows the page of the response. `onProgress` gets the part that was sent,
 * from 0 to 1; `onAnswer` whether the form was accepted, before the page is shown; `onRefused` the page
 * of a form that was not, before it is shown; `onSignedOut` is called before the page for signing in is
 * opened; `signal` cancels it. A page with errors is shown if it has the form: that of 422, with
 * `showsErrors` that of any status; with `keepsFiles`, the files stay chosen in it. Throws an error with
 * the status if there is no page to show, and an "AbortError" once cancelled.
 */
export async function sendForm(form, fields, options = {}) {
  const { onProgress, onAnswer, onRefused, onSignedOut, signal } = options;
  const { showsErrors, keepsFiles, mayRetry = true } = options;
  const { status, response: page, responseURL } = await upload(form, fields, onProgress, signal);
  signal?.throwIfAborted();
  if (status === 403 && mayRetry && !isRefusal(page)) {
    fields.set("csrf_token", await fetchToken());
    return sendForm(form, fields, { ...options, mayRetry: false });
  }
  const isShown = status === 200 || ((status === 422 || showsErrors) && hasForm(page, form));
  if (!isShown || !page) throw Object.assign(new Error("not sent"), { status });
  const isSignedOut = new URL(responseURL).pathname === "/sign-in";
  await onAnswer?.(status === 200 && !isSignedOut);
  if (isSignedOut) {
    await onSignedOut?.();
    location.assign(responseURL);
  } else if (status === 200) await swap(page, responseURL);
  else {
    onRefused?.(page);
    await swap(page, location.href, keepsFiles ? chosenFiles(form) : undefined);
  }
}

const hasForm = (page, form) =>
  Boolean(page?.querySelector(`form[action="${form.getAttribute("action")}"]`));

/** The finished request, with the parsed page. Its status is 0 if no response arrived. */
export function upload(form, fields, onProgress, signal) {
  signal?.throwIfAborted();
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => resolve(request);
    if (onProgress) {
      request.upload.onprogress = (event) => {
        if (event.lengthComputable) onProgress(event.loaded / event.total);
      };
    }
    signal?.addEventListener("abort", () => request.abort());
    request.open("POST", form.action);
    request.responseType = "document";
    request.send(fields);
  });
}
