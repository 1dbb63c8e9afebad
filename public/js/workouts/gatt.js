// A connection to one device over Bluetooth that holds: it is made again by itself when it breaks,
// until somebody ends it.

// In ms: how long a connection may take before it is tried again, and the pauses between tries.
const PATIENCE = 10_000;
const PAUSES = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
// How long a device that was used last may take to be heard of, in ms.
const LISTENING = 60_000;

/** Whether this browser can do it at all, here. */
export const bluetooth = () => navigator.bluetooth;

/** A promise that gives up after a time in ms. */
export function inTime(promise, time, what = "connection") {
  let timer;
  const end = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer in time`)), time);
  });
  return Promise.race([promise, end]).finally(() => clearTimeout(timer));
}

/**
 * Says "state" whenever `state` changes: "off", "connecting" (the first time), "ready", "lost" (it
 * tries again by itself). `setUp(server)` makes ready what is read and told; it runs with each new
 * connection, since nothing of an old one works any more.
 */
export class Link extends EventTarget {
  state = "off";
  device;
  #setUp;
  #timer;
  #tries = 0;
  #attempt = 0;
  #whenGone = () => this.#lost();

  constructor(setUp) {
    super();
    this.#setUp = setUp;
  }

  get name() {
    return this.device?.name ?? "";
  }

  /** Connects to a device; throws when that fails this first time. */
  async connect(device) {
    this.disconnect();
    this.device = device;
    device.addEventListener("gattserverdisconnected", this.#whenGone);
    this.#say("connecting");
    try {
      await this.#open();
    } catch (error) {
      if (this.device === device) this.disconnect();
      throw error;
    }
  }

  /** Ends it for good. */
  disconnect() {
    clearTimeout(this.#timer);
    this.#attempt += 1;
    const device = this.device;
    device?.removeEventListener("gattserverdisconnected", this.#whenGone);
    this.device = undefined;
    this.#tries = 0;
    close(device);
    this.#say("off");
  }

  async #open() {
    const { device } = this;
    const attempt = ++this.#attempt;
    const steps = async () => {
      const server = await device.gatt.connect();
      // Too late: another attempt is on its way, or nobody wants it any more.
      if (attempt !== this.#attempt) {
        // Nobody else would let go of a device that is no longer this one's.
        if (device !== this.device) close(device);
        throw new Error("overtaken");
      }
      await this.#setUp(server);
    };
    await inTime(steps(), PATIENCE);
    if (attempt !== this.#attempt) throw new Error("overtaken");
    if (!device.gatt.connected) throw new Error("lost while connecting");
    this.#tries = 0;
    this.#say("ready");
  }

  #lost() {
    // The first connection tells by its failure.
    if (this.state === "connecting" || !this.device) return;
    this.#say("lost");
    this.#again();
  }

  #again() {
    clearTimeout(this.#timer);
    const pause = PAUSES[Math.min(this.#tries, PAUSES.length - 1)];
    this.#tries += 1;
    this.#timer = setTimeout(async () => {
      const { device } = this;
      try {
        await this.#open();
      } catch {
        if (device !== this.device || this.state !== "lost") return;
        close(device);
        this.#again();
      }
    }, pause);
  }

  #say(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

function close(device) {
  try {
    device?.gatt.disconnect();
  } catch {
    // It is gone already.
  }
}

/**
 * Connects to a device that the person allowed before; gives whether that worked. Some browsers
 * only find one that they have just heard of.
 */
export async function resume(link, id) {
  const device = await known(id);
  for (const prepare of [() => {}, () => heardOf(device)]) {
    // Meanwhile the person may have chosen another one.
    if (!device || link.state !== "off") return false;
    try {
      await prepare();
      if (link.state !== "off") return false;
      await link.connect(device);
      return true;
    } catch {
      // The next way, if there is one.
    }
  }
  return false;
}

/** Waits until a device says that it is there. */
async function heardOf(device) {
  const watching = new AbortController();
  const heard = new Promise((done) => {
    device.addEventListener("advertisementreceived", done, { once: true });
  });
  try {
    await device.watchAdvertisements({ signal: watching.signal });
    await inTime(heard, LISTENING);
  } finally {
    watching.abort();
  }
}

/** The device that a person allowed before, where the browser tells. */
async function known(id) {
  try {
    const devices = (await bluetooth()?.getDevices?.()) ?? [];
    return devices.find((device) => device.id === id);
  } catch {
    return undefined;
  }
}

/** A characteristic's value; nothing when the device has none. */
export async function readIfThere(service, id) {
  try {
    return await (await service.getCharacteristic(id)).readValue();
  } catch {
    return undefined;
  }
}

/** Hears what a characteristic says; gives whether the device has it. */
export async function listen(service, id, hear) {
  let characteristic;
  try {
    characteristic = await service.getCharacteristic(id);
  } catch {
    return undefined;
  }
  characteristic.addEventListener("characteristicvaluechanged", ({ target }) => hear(target.value));
  await characteristic.startNotifications();
  return characteristic;
}
