// The posts that wait in the outbox or were refused, below the composer.
import { remove, requeue, rows } from "../base/outbox.js";
import { flush } from "../base/sync.js";
import { text } from "../base/texts.js";
import { showToast } from "../base/toasts.js";
import { POST, SENDER } from "./queue.js";

export function start(place) {
  let isSignedOut = false;

  const show = async () => {
    let queued = [];
    try {
      queued = (await rows()).filter(({ kind }) => kind === POST);
    } catch {
      // Without storage nothing waits.
    }
    const items = queued.map((row) => item(place, row, isSignedOut));
    place.replaceChildren(place.querySelector("template"), ...items);
    place.hidden = !items.length;
  };

  show();
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (!place.isConnected) return;
    if (detail.change === "stopped") {
      const before = isSignedOut;
      isSignedOut = detail.why === "signed-out";
      // Nothing changes under the user's fingers while tries fail.
      if (isSignedOut === before) return;
    } else if (detail.kind !== POST) return;
    if (detail.change === "sent") showToast(text("posted"));
    show();
  });
}

function item(place, row, isSignedOut) {
  const made = place.querySelector("template").content.firstElementChild.cloneNode(true);
  const isRefused = row.state === "refused";
  const fields = new FormData();
  for (const [name, value] of row.fields) fields.append(name, value);
  made.querySelector("[data-text]").textContent = fields.get("content");
  made.querySelector("[data-pictures]").append(...fields.getAll("images").map(picture));
  const { waits, signedOut, refused } = place.dataset;
  const state = made.querySelector("[data-state]");
  state.textContent = isRefused
    ? refused.replace("#", row.reason ?? "")
    : isSignedOut
      ? signedOut
      : waits;
  state.classList.toggle("error", isRefused);
  const [retry, discard] = made.querySelectorAll("button");
  retry.addEventListener("click", async () => {
    if (isRefused) await requeue(row);
    await flush(SENDER);
  });
  discard.addEventListener("click", () => remove(row));
  return made;
}

function picture(file) {
  const image = new Image(56, 56);
  const address = URL.createObjectURL(file);
  image.onload = image.onerror = () => URL.revokeObjectURL(address);
  image.alt = file.name;
  image.src = address;
  return image;
}
