// A heart-rate sensor (Heart Rate Service), for example a chest belt.
import { decodeHeartRate, Reading, UUID } from "./ftms.js";
import { GattConnection, subscribe, resumeConnection } from "./gatt.js";

/** Fires "state" (see `GattConnection`) and "reading". */
export class HeartRateSensor extends EventTarget {
  #reading = new Reading();
  #link = new GattConnection((server) => this.#setUp(server));

  constructor() {
    super();
    this.#link.addEventListener("state", () => this.dispatchEvent(new Event("state")));
  }

  get state() {
    return this.#link.state;
  }

  get name() {
    return this.#link.name;
  }

  get id() {
    return this.#link.device?.id;
  }

  async choose() {
    const filters = [{ services: [UUID.heartService] }];
    await this.#link.connect(await navigator.bluetooth.requestDevice({ filters }));
  }

  resume(id) {
    return resumeConnection(this.#link, id);
  }

  disconnect() {
    this.#reading.clear();
    this.#link.disconnect();
  }

  values(now) {
    return this.#reading.at(now);
  }

  async #setUp(server) {
    this.#reading.clear();
    const service = await server.getPrimaryService(UUID.heartService);
    const isSubscribed = await subscribe(service, UUID.heartRate, (view) => {
      const heartRate = decodeHeartRate(view)?.heartRate;
      if (!heartRate) return;
      this.#reading.take({ values: { heartRate } }, Date.now());
      this.dispatchEvent(new Event("reading"));
    });
    if (!isSubscribed) throw new Error("no heart rate");
  }
}
