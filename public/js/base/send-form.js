// Sends a form by XMLHttpRequest, which reports progress, and shows the response.
import { fetchToken } from "./fetch.js";
import { swap } from "./swap.js";

/**
 * Sends the fields and shows the page of the response. `onProgress` gets the part that was sent,
 * from 0 to 1; `onAnswer` whether the form was accepted, before the page is shown. Throws an error
 * with the status if there is no page to show.
 */
export async function sendForm(form, fields, { onProgress, onAnswer, mayRetry = true } = {}) {
  const { status, response: page, responseURL } = await upload(form, fields, onProgress);
  if (status === 403 && mayRetry) {
    fields.set("csrf_token", await fetchToken());
    return sendForm(form, fields, { onProgress, onAnswer, mayRetry: false });
  }
  if ((status !== 200 && status !== 422) || !page) {
    throw Object.assign(new Error("not sent"), { status });
  }
  const isSignedOut = new URL(responseURL).pathname === "/sign-in";
  await onAnswer?.(status === 200 && !isSignedOut);
  if (isSignedOut) location.assign(responseURL);
  else await swap(page, status === 422 ? location.href : responseURL);
}

/** The finished request, with the parsed page. Its status is 0 if no response arrived. */
export function upload(form, fields, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => resolve(request);
    if (onProgress) {
      request.upload.onprogress = (event) => {
        if (event.lengthComputable) onProgress(event.loaded / event.total);
      };
    }
    request.open("POST", form.action);
    request.responseType = "document";
    request.send(fields);
  });
}
