// The choice of training and devices before a recording.
import { clock } from "../../base/format.js";
import { loadValue, saveValue } from "../../base/current-user.js";
import { markBusy } from "../../base/forms.js";
import { showNotice } from "../../base/notice.js";
import { text } from "../../base/texts.js";
import { showToast } from "../../base/toasts.js";
import { refreshTrainings, storedTrainings } from "../trainings.js";
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
  const refresh = () => refreshTrainings(user).then(show);
  // Shows the stored list at once, then the current one.
  const showStored = async () => {
    const stored = await storedTrainings(user);
    if (!stored) return refresh();
    show(stored);
    refresh().catch(() => {});
    return undefined;
  };
  const shown = showStored().catch(() => (note.textContent = phrase("trainingsGone")));
  return { choice: () => found.find(({ id }) => id === chosen()), shown };
}

function trainingSummary({ duration, stages, description }) {
  const length = clock(duration ?? stages.reduce((sum, { seconds }) => sum + seconds, 0));
  return description ? `${length} · ${description}` : length;
}

/** The row of a device: its state and its button. The devices are loaded when one is connected. */
export class DeviceRow {
  #recorder;
  #kind;
  #last;

  constructor(form, kind, recorder) {
    this.#recorder = recorder;
    this.#kind = kind;
    this.row = form.querySelector(`[data-device=${kind}]`);
    this.button = this.row.querySelector("[data-connect]");
    this.problem = form.querySelector("[data-unreachable]");
    this.button.addEventListener("click", () => this.#press());
    this.follow();
    this.#reconnect().catch(() => {});
  }

  get #device() {
    return this.#recorder[this.#kind];
  }

  /** Shows the state of the device, once it is loaded. */
  follow() {
    this.#show();
    this.#device?.addEventListener("state", () => {
      if (this.#device.state === "ready") this.#keep();
      this.#show();
    });
  }

  #show() {
    const { state, name } = this.#device ?? { state: "off" };
    const isLast = state === "off" && this.#last;
    this.row.querySelector("[data-state]").textContent = isLast
      ? phrase("last", this.#last.name)
      : phrase(state, name);
    this.row.dataset.at = state;
    this.button.disabled = state === "connecting";
    const connects = ["off", "connecting"].includes(state);
    this.button.textContent = phrase(connects ? "connect" : "disconnect");
  }

  async #press() {
    this.problem.hidden = true;
    if (this.#device && this.#device.state !== "off") {
      this.#device.disconnect();
      return;
    }
    if (!(await this.#load())) return;
    this.problem.hidden = (await connect(this.#device)) !== false;
    this.problem.querySelector("span:last-child").textContent = phrase("unreachable");
  }

  /** Loads the devices once for all presses meanwhile; gives whether the browser may ask for one. */
  async #load() {
    if (this.button.getAttribute("aria-busy") === "true") return false;
    markBusy(this.button);
    try {
      await this.#recorder.loadDevices();
    } catch {
      showNotice(text("offline"));
      return false;
    } finally {
      this.button.removeAttribute("aria-busy");
    }
    // Browsers ask within seconds of a press only, and a slow network takes longer.
    if (navigator.userActivation?.isActive !== false) return true;
    showToast(phrase("pressAgain"));
    return false;
  }

  async #keep() {
    this.#last = { id: this.#device.id, name: this.#device.name };
    // Without storage it is chosen again next time.
    await saveValue(this.#recorder.user, this.#kind, this.#last).catch(() => {});
  }

  async #reconnect() {
    this.#last = await loadValue(this.#recorder.user, this.#kind);
    this.#show();
    if (!this.#last) return;
    await this.#recorder.loadDevices();
    if (this.#device.state === "off") await this.#device.resume(this.#last.id);
  }
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
  if (navigator.bluetooth) return undefined;
  return isSecureContext ? "no-bluetooth" : "insecure";
}
