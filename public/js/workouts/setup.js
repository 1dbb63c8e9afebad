// Before it begins: which training, and which devices.
import { clock } from "../base/format.js";
import { recall, remember } from "../base/current-user.js";
import { bluetooth } from "./gatt.js";
import { refreshTrainings, trainings } from "./trainings.js";
import { say } from "./recorder-words.js";

/**
 * Shows the trainings there are. Gives `choice()`, the one that is chosen, and `shown`, which
 * resolves once the first ones stand there.
 */
export function choices(form, user) {
  const list = form.querySelector("[data-choices]");
  const shape = form.closest("[data-recorder]").querySelector("[data-choice]");
  let found = [];

  const show = (all) => {
    const wanted = chosen() || new URLSearchParams(location.search).get("training");
    found = all;
    const labels = all.map((training) => {
      const label = shape.content.firstElementChild.cloneNode(true);
      label.querySelector("input").value = training.id;
      label.querySelector("b").textContent = training.name;
      label.querySelector("b + span").textContent = summary(training);
      return label;
    });
    list.replaceChildren(list.firstElementChild, ...labels);
    const input = [...list.querySelectorAll("input")].find(({ value }) => value === wanted);
    if (input) input.checked = true;
  };
  const chosen = () => list.querySelector("input:checked")?.value ?? "";

  const note = form.querySelector("[data-trainings-note]");
  // What is here shows at once; what is new replaces it.
  const shown = trainings(user)
    .then(show)
    .catch(() => (note.textContent = say("trainingsGone")));
  shown.then(() => refreshTrainings(user)).then(show).catch(() => {});
  return { choice: () => found.find(({ id }) => id === chosen()), shown };
}

function summary({ duration, stages, description }) {
  const length = clock(duration ?? stages.reduce((sum, { seconds }) => sum + seconds, 0));
  return description ? `${length} · ${description}` : length;
}

/** Keeps a row of the devices' card as its device is, and connects it by its button. */
export function deviceRow(form, kind, device, user) {
  const row = form.querySelector(`[data-device=${kind}]`);
  const button = row.querySelector("[data-connect]");
  const state = row.querySelector("[data-state]");
  const problem = form.querySelector("[data-unreachable]");
  let last;

  const show = () => {
    const words = device.state === "off" && last ? say("last", last.name) : say(device.state, device.name);
    state.textContent = words;
    row.dataset.at = device.state;
    button.disabled = device.state === "connecting";
    button.textContent = say(["off", "connecting"].includes(device.state) ? "connect" : "disconnect");
  };
  device.addEventListener("state", () => {
    if (device.state === "ready") note();
    show();
  });
  button.addEventListener("click", async () => {
    problem.hidden = true;
    if (device.state !== "off") {
      device.disconnect();
      return;
    }
    problem.hidden = (await connect(device)) !== false;
    problem.querySelector("span:last-child").textContent = say("unreachable");
  });

  async function note() {
    last = { id: device.id, name: device.name };
    // A browser that keeps nothing asks again next time.
    await remember(user, kind, last).catch(() => {});
  }

  show();
  recall(user, kind)
    .then(async (kept) => {
      last = kept;
      show();
      if (kept && device.state === "off") await device.resume(kept.id);
    })
    .catch(() => {});
}

/** Lets the person choose a device. Gives false when it can't be reached; nothing when none was chosen. */
export async function connect(device) {
  try {
    await device.choose();
    return true;
  } catch (error) {
    // Nothing was chosen; or the browser asks for nothing just now.
    return ["NotFoundError", "AbortError", "SecurityError"].includes(error.name) ? undefined : false;
  }
}

/** Which note says why there is no Bluetooth here; nothing where there is. */
export function noBluetooth() {
  if (bluetooth()) return undefined;
  return isSecureContext ? "no-bluetooth" : "insecure";
}
