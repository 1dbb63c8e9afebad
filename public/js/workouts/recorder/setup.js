// The choice of training and devices before a recording.
import { clock } from "../../base/format.js";
import { loadValue, saveValue } from "../../base/current-user.js";
import { bluetooth } from "./gatt.js";
import { refreshTrainings, loadTrainings } from "../trainings.js";
import { phrase } from "./recorder-words.js";

/**
 * Shows the trainings. Gives `choice()`, the chosen one, and `shown`, which resolves once the first
 * list is shown.
 */
export function showTrainings(form, user) {
  const list = form.querySelector("[data-choices]");
  const template = form.closest("[data-recorder]").querySelector("[data-choice]");
  let found = [];

  const show = (all) => {
    const wanted = chosen() || new URLSearchParams(location.search).get("training");
    found = all;
    const labels = all.map((training) => {
      const label = template.content.firstElementChild.cloneNode(true);
      label.querySelector("input").value = training.id;
      label.querySelector("b").textContent = training.name;
      label.querySelector("b + span").textContent = trainingSummary(training);
      return label;
    });
    list.replaceChildren(list.firstElementChild, ...labels);
    const input = [...list.querySelectorAll("input")].find(({ value }) => value === wanted);
    if (input) input.checked = true;
  };
  const chosen = () => list.querySelector("input:checked")?.value ?? "";

  const note = form.querySelector("[data-trainings-note]");
  // Shows the stored list at once, then the current one.
  const shown = loadTrainings(user)
    .then(show)
    .catch(() => (note.textContent = phrase("trainingsGone")));
  shown
    .then(() => refreshTrainings(user))
    .then(show)
    .catch(() => {});
  return { choice: () => found.find(({ id }) => id === chosen()), shown };
}

function trainingSummary({ duration, stages, description }) {
  const length = clock(duration ?? stages.reduce((sum, { seconds }) => sum + seconds, 0));
  return description ? `${length} · ${description}` : length;
}

/** Sets up the row of a device: its state and its button. */
export function setUpDeviceRow(form, kind, device, user) {
  const row = form.querySelector(`[data-device=${kind}]`);
  const button = row.querySelector("[data-connect]");
  const state = row.querySelector("[data-state]");
  const problem = form.querySelector("[data-unreachable]");
  let last;

  const show = () => {
    const words =
      device.state === "off" && last
        ? phrase("last", last.name)
        : phrase(device.state, device.name);
    state.textContent = words;
    row.dataset.at = device.state;
    button.disabled = device.state === "connecting";
    button.textContent = phrase(
      ["off", "connecting"].includes(device.state) ? "connect" : "disconnect",
    );
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
    problem.querySelector("span:last-child").textContent = phrase("unreachable");
  });

  async function note() {
    last = { id: device.id, name: device.name };
    // Without storage it is chosen again next time.
    await saveValue(user, kind, last).catch(() => {});
  }

  show();
  loadValue(user, kind)
    .then(async (kept) => {
      last = kept;
      show();
      if (kept && device.state === "off") await device.resume(kept.id);
    })
    .catch(() => {});
}

/**
 * Lets the user choose a device. Gives false when it cannot be reached, undefined when none was
 * chosen.
 */
export async function connect(device) {
  try {
    await device.choose();
    return true;
  } catch (error) {
    // No device was chosen, or the browser shows no dialog now.
    return ["NotFoundError", "AbortError", "SecurityError"].includes(error.name)
      ? undefined
      : false;
  }
}

/** The name of the note that explains why there is no Bluetooth; undefined if there is. */
export function bluetoothProblem() {
  if (bluetooth()) return undefined;
  return isSecureContext ? "no-bluetooth" : "insecure";
}
