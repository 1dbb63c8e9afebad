// Passkeys: makes or uses one, and sends the form with the authenticator's answer. Pages offer a
// password or a code without it.
import { get } from "./base/fetch.js";
import { markBusy, markReady } from "./base/forms.js";

// The challenge of the server is valid for 5 minutes.
const RENEW_AUTOFILL_AFTER = 240_000;

const ceremonies = { create: makePasskey, get: usePasskey };

let autofill = null;

/** Takes a form, or a box with a button in a form, or an offer of a page that follows. */
export function start(box) {
  if (!window.PublicKeyCredential || !navigator.credentials) return;
  box.hidden = false;
  if (box.dataset.passkey === "offer") return;
  for (const note of document.querySelectorAll("[data-passkey-unsupported]")) note.hidden = true;
  const form = box.closest("form");
  const answer = box.querySelector("[name=credential]");
  const button = box.querySelector("button");

  async function ask(options = {}) {
    const credential = await ceremonies[box.dataset.passkey](box.dataset.options, options);
    answer.value = JSON.stringify(credential);
    form.submit();
  }

  async function press(event) {
    event.preventDefault();
    if (button.getAttribute("aria-busy") === "true") return;
    autofill?.abort();
    show(box, false);
    markBusy(button);
    try {
      await ask();
    } catch {
      // Cancelled, timed out, or the server refused the options.
      markReady(form);
      button.removeAttribute("aria-busy");
      show(box, true);
    }
  }

  if (box === form) form.addEventListener("submit", press);
  else button.addEventListener("click", press);
  if (document.querySelector("[autocomplete~=webauthn]")) offerAutofill(ask);
}

/** Offers passkeys where the browser fills in the address, until a button is pressed. */
async function offerAutofill(ask) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  autofill = new AbortController();
  const { signal } = autofill;
  const renewal = setTimeout(() => {
    autofill.abort();
    offerAutofill(ask);
  }, RENEW_AUTOFILL_AFTER);
  signal.addEventListener("abort", () => clearTimeout(renewal));
  // Nothing was asked for, so a failure is no news.
  await ask({ mediation: "conditional", signal }).catch(() => {});
}

function show(box, hasFailed) {
  const problem = box.querySelector("[data-problem]");
  problem.textContent = hasFailed ? problem.dataset.failed : "";
  problem.hidden = !hasFailed;
}

async function makePasskey(address) {
  const options = await (await get(address)).json();
  const credential = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: decode(options.challenge),
      user: { ...options.user, id: decode(options.user.id) },
      excludeCredentials: options.excludeCredentials.map(withBytes),
    },
  });
  return encoded(credential, {
    attestationObject: encode(credential.response.attestationObject),
    transports: credential.response.getTransports?.() ?? [],
  });
}

async function usePasskey(address, { mediation, signal }) {
  const options = await (await get(address, { signal })).json();
  const credential = await navigator.credentials.get({
    mediation,
    signal,
    publicKey: {
      ...options,
      challenge: decode(options.challenge),
      allowCredentials: options.allowCredentials.map(withBytes),
    },
  });
  const { authenticatorData, signature, userHandle } = credential.response;
  return encoded(credential, {
    authenticatorData: encode(authenticatorData),
    signature: encode(signature),
    userHandle: userHandle ? encode(userHandle) : undefined,
  });
}

// `toJSON` and `parseCreationOptionsFromJSON` are missing from older browsers and some extensions.

function encoded(credential, response) {
  return {
    id: credential.id,
    rawId: encode(credential.rawId),
    type: credential.type,
    response: { clientDataJSON: encode(credential.response.clientDataJSON), ...response },
  };
}

function withBytes(credential) {
  return { ...credential, id: decode(credential.id) };
}

function encode(buffer) {
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
