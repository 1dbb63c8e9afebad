// A Bluetooth connection to one device, which reconnects by itself until it is ended.
import { withTimeout } from "./timeout.js";

// In ms: the timeout of a connection, and the pauses between tries.
const CONNECT_TIMEOUT = 10_000;
const PAUSES = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
// The time for the last device to advertise itself, in ms.
const ADVERTISEMENT_TIMEOUT = 60_000;

/**
 * Fires "state" when `state` changes: "off", "connecting" (the first time), "ready", "lost" (it
 * reconnects by itself). `setUp(server)` subscribes to characteristics; it runs with each
 * connection, since nothing of an old one works any more.
 */
export class GattConnection extends EventTarget {
  state = "off";
  device;
  #setUp;
  #timer;
  #tries = 0;
  #attempt = 0;
  #onDisconnect = () => this.#handleDisconnect();

  constructor(setUp) {
    super();
    this.#setUp = setUp;
  }

  get name() {
    return this.device?.name ?? "";
  }

  /** Connects to a device; throws when this first try fails. */
  async connect(device) {
    this.disconnect();
    this.device = device;
    device.addEventListener("gattserverdisconnected", this.#onDisconnect);
    this.#setState("connecting");
    try {
      await this.#open();
    } catch (error) {
      if (this.device === device) this.disconnect();
      throw error;
    }
  }

  /** Ends the connection for good. */
  disconnect() {
    clearTimeout(this.#timer);
    this.#attempt += 1;
    const device = this.device;
    device?.removeEventListener("gattserverdisconnected", this.#onDisconnect);
    this.device = undefined;
    this.#tries = 0;
    disconnectDevice(device);
    this.#setState("off");
  }

  async #open() {
    const { device } = this;
    const attempt = ++this.#attempt;
    const steps = async () => {
      const server = await device.gatt.connect();
      // Too late: another try is under way, or the connection was ended.
      if (attempt !== this.#attempt) {
        // The device was replaced: nothing else would disconnect it.
        if (device !== this.device) disconnectDevice(device);
        throw new Error("overtaken");
      }
      await this.#setUp(server);
    };
    await withTimeout(steps(), CONNECT_TIMEOUT);
    if (attempt !== this.#attempt) throw new Error("overtaken");
    if (!device.gatt.connected) throw new Error("lost while connecting");
    this.#tries = 0;
    this.#setState("ready");
  }

  #handleDisconnect() {
    // The first try reports its failure itself.
    if (this.state === "connecting" || !this.device) return;
    this.#setState("lost");
    this.#scheduleRetry();
  }

  #scheduleRetry() {
    clearTimeout(this.#timer);
    const pause = PAUSES[Math.min(this.#tries, PAUSES.length - 1)];
    this.#tries += 1;
    this.#timer = setTimeout(async () => {
      const { device } = this;
      try {
        await this.#open();
      } catch {
        if (device !== this.device || this.state !== "lost") return;
        disconnectDevice(device);
        this.#scheduleRetry();
      }
    }, pause);
  }

  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

function disconnectDevice(device) {
  try {
    device?.gatt.disconnect();
  } catch {
    // It is disconnected already.
  }
}

/**
 * Connects to a device that was allowed before; gives whether that worked. Some browsers only find
 * devices that advertise themselves.
 */
export async function resumeConnection(link, id) {
  const device = await permittedDevice(id);
  for (const prepare of [() => {}, () => waitForAdvertisement(device)]) {
    // Meanwhile the user may have chosen another device.
    if (!device || link.state !== "off") return false;
    try {
      await prepare();
      if (link.state !== "off") return false;
      await link.connect(device);
      return true;
    } catch {
      // Tries the next way, if there is one.
    }
  }
  return false;
}

/** Waits until a device advertises itself. */
async function waitForAdvertisement(device) {
  const watching = new AbortController();
  const advertised = new Promise((done) => {
    device.addEventListener("advertisementreceived", done, { once: true });
  });
  try {
    await device.watchAdvertisements({ signal: watching.signal });
    await withTimeout(advertised, ADVERTISEMENT_TIMEOUT);
  } finally {
    watching.abort();
  }
}

/** The device that was allowed before, where the browser lists it. */
async function permittedDevice(id) {
  try {
    const devices = (await navigator.bluetooth?.getDevices?.()) ?? [];
    return devices.find((device) => device.id === id);
  } catch {
    return undefined;
  }
}

/** The value of a characteristic; undefined when the device does not have it. */
export async function readOptional(service, id) {
  try {
    return await (await service.getCharacteristic(id)).readValue();
  } catch {
    return undefined;
  }
}

/** Subscribes to a characteristic; undefined when the device does not have it. */
export async function subscribe(service, id, onValue) {
  let characteristic;
  try {
    characteristic = await service.getCharacteristic(id);
  } catch {
    return undefined;
  }
  characteristic.addEventListener("characteristicvaluechanged", ({ target }) =>
    onValue(target.value),
  );
  await characteristic.startNotifications();
  return characteristic;
}
