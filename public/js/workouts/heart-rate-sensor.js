// A heart-rate belt.
import { decodeHeartRate, Reading, UUID } from "./ftms.js";
import { bluetooth, Link, listen, resume } from "./gatt.js";

/** Says "state" (see `Link`) and "reading". */
export class Belt extends EventTarget {
  #reading = new Reading();
  #link = new Link((server) => this.#setUp(server));

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
    await this.#link.connect(await bluetooth().requestDevice({ filters }));
  }

  resume(id) {
    return resume(this.#link, id);
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
    const heard = await listen(service, UUID.heartRate, (view) => {
      const heartRate = decodeHeartRate(view)?.heartRate;
      if (!heartRate) return;
      this.#reading.take({ values: { heartRate } }, Date.now());
      this.dispatchEvent(new Event("reading"));
    });
    if (!heard) throw new Error("no heart rate");
  }
}
