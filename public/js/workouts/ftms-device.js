// A bike or a rower: what it measures, what happens at it, and what it is told.
import {
  commands, decodeBike, decodeFeature, decodeRange, decodeRower, decodeStatus, Reading, UUID,
} from "./ftms.js";
import { ControlPoint } from "./control-point.js";
import { bluetooth, Link, listen, readIfThere, resume } from "./gatt.js";

const FILTERS = [
  { services: [UUID.machineService] },
  { services: [UUID.solidFocus] },
  { namePrefix: "SF-Bike-" },
  { namePrefix: "SF-Rower-" },
];
// What is not named here may not be asked for later, whatever the device has.
const OPTIONAL = [
  UUID.machineService, UUID.solidFocus, UUID.informationService, UUID.heartService,
];
const latin = new TextDecoder();

/** Says "state" (see `Link`), "reading" with each packet, and "status" with what happened. */
export class Machine extends EventTarget {
  /** "bike" or "rower", once it is known. */
  kind;
  maker = "";
  model = "";
  features = new Set();
  targets = new Set();
  #ranges = {};
  #reading = new Reading();
  #control;
  #wishes = new Map();
  #link = new Link((server) => this.#setUp(server));

  constructor() {
    super();
    this.#link.addEventListener("state", () => {
      if (this.state !== "ready") this.#control = undefined;
      this.dispatchEvent(new Event("state"));
    });
  }

  get state() {
    return this.#link.state;
  }

  get name() {
    return this.#link.name || this.model;
  }

  get id() {
    return this.#link.device?.id;
  }

  /** Lets the person choose one; wants a press of a button just before. */
  async choose() {
    const device = await bluetooth().requestDevice({ filters: FILTERS, optionalServices: OPTIONAL });
    await this.#link.connect(device);
  }

  /** Connects to one that was allowed before; gives whether that worked. */
  resume(id) {
    return resume(this.#link, id);
  }

  disconnect() {
    this.#wishes.clear();
    this.#reading.clear();
    this.#link.disconnect();
  }

  /** What counts at a moment, by the names of ftms.js. */
  values(now) {
    return this.#reading.at(now);
  }

  /** Whether it can be set to a "power" or a "resistance". */
  takes(target) {
    return this.#control !== undefined && (this.targets.has(target) || target in this.#ranges);
  }

  start() {
    return this.#tell(commands.start());
  }

  pause() {
    return this.#tell(commands.pause());
  }

  async stop() {
    this.#wishes.clear();
    await this.#tell(commands.stop());
  }

  /** Sets a target now, and again after a lost connection; throws when the machine doesn't take it. */
  async set(target, value) {
    this.#wishes.clear();
    this.#wishes.set(target, value);
    await this.#wish(target, value);
  }

  /** Leaves it to the person what the machine is set to. */
  free() {
    this.#wishes.clear();
  }

  async #wish(target, value) {
    if (!this.takes(target)) return;
    const { least = value, most = value } = this.#ranges[target] ?? {};
    await this.#tell(commands[target](Math.min(Math.max(value, least), most)));
  }

  async #tell(command) {
    await this.#control?.send(command);
  }

  async #setUp(server) {
    this.#reading.clear();
    const service = await server.getPrimaryService(UUID.machineService);
    await this.#readAbout(server);
    await this.#readFeatures(service);
    await this.#listen(service);
    await this.#takeControl(service);
  }

  async #readAbout(server) {
    try {
      const service = await server.getPrimaryService(UUID.informationService);
      this.maker = text(await readIfThere(service, UUID.manufacturer));
      this.model = text(await readIfThere(service, UUID.model));
    } catch {
      // A machine that says nothing of itself is as good.
    }
  }

  async #readFeatures(service) {
    const told = await readIfThere(service, UUID.feature);
    if (told) Object.assign(this, decodeFeature(told));
    const resistance = await readIfThere(service, UUID.resistanceRange);
    const power = await readIfThere(service, UUID.powerRange);
    this.#ranges = {};
    if (resistance) this.#ranges.resistance = decodeRange(resistance, 0.1);
    if (power) this.#ranges.power = decodeRange(power);
  }

  async #listen(service) {
    const hear = (decode) => (view) => {
      const packet = decode(view);
      if (!packet) return;
      this.#reading.take(packet, Date.now());
      this.dispatchEvent(new Event("reading"));
    };
    const isBike = await listen(service, UUID.bikeData, hear(decodeBike));
    const isRower = !isBike && (await listen(service, UUID.rowerData, hear(decodeRower)));
    if (!isBike && !isRower) throw new Error("neither a bike nor a rower");
    this.kind = isBike ? "bike" : "rower";
    await listen(service, UUID.status, (view) => this.#hearStatus(decodeStatus(view)));
  }

  /** Without control a machine still tells; only its resistance stays the person's. */
  async #takeControl(service) {
    const point = await listen(service, UUID.controlPoint, () => {});
    if (!point) return;
    const control = new ControlPoint(point);
    try {
      await control.send(commands.control());
    } catch {
      return;
    }
    this.#control = control;
    for (const [target, value] of this.#wishes) this.#wish(target, value).catch(() => {});
  }

  #hearStatus(status) {
    if (!status) return;
    if (status.event === "controlLost") {
      this.#tell(commands.control()).catch(() => (this.#control = undefined));
    }
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }
}

function text(view) {
  return view ? latin.decode(view).replace(/\0+$/, "").trim() : "";
}
