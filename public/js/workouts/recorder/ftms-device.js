// A bike or a rower (Fitness Machine Service): its measurements, its status and its control.
import {
  commands,
  decodeBike,
  decodeFeature,
  decodeRange,
  decodeRower,
  decodeStatus,
  Reading,
  UUID,
} from "./ftms.js";
import { ControlPoint } from "./control-point.js";
import { GattConnection, subscribe, readOptional, resumeConnection } from "./gatt.js";

const FILTERS = [
  { services: [UUID.machineService] },
  { services: [UUID.solidFocus] },
  { namePrefix: "SF-Bike-" },
  { namePrefix: "SF-Rower-" },
];
// Services that are not listed here cannot be used later.
const OPTIONAL = [UUID.machineService, UUID.solidFocus, UUID.informationService, UUID.heartService];
const latin = new TextDecoder();

/**
 * Fires "state" (see `GattConnection`), "reading" with each packet, and "status" with its status.
 */
export class FTMSDevice extends EventTarget {
  /** "bike" or "rower", once it is known. */
  kind;
  maker = "";
  model = "";
  features = new Set();
  targets = new Set();
  #ranges = {};
  #reading = new Reading();
  #control;
  #targetValues = new Map();
  #link = new GattConnection((server) => this.#setUp(server));

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

  /** Lets the user choose a device. Browsers allow it only right after a button was pressed. */
  async choose() {
    const device = await navigator.bluetooth.requestDevice({
      filters: FILTERS,
      optionalServices: OPTIONAL,
    });
    await this.#link.connect(device);
  }

  /** Connects to a device that was allowed before; gives whether that worked. */
  resume(id) {
    return resumeConnection(this.#link, id);
  }

  disconnect() {
    this.#targetValues.clear();
    this.#reading.clear();
    this.#link.disconnect();
  }

  /** The current values, named as in ftms.js. */
  values(now) {
    return this.#reading.at(now);
  }

  /** Whether a target ("power" or "resistance") can be set. */
  supports(target) {
    return this.#control !== undefined && (this.targets.has(target) || target in this.#ranges);
  }

  start() {
    return this.#send(commands.start());
  }

  pause() {
    return this.#send(commands.pause());
  }

  async stop() {
    this.#targetValues.clear();
    await this.#send(commands.stop());
  }

  /** Sets a target now and after each reconnection; throws when the machine refuses it. */
  async set(target, value) {
    this.#targetValues.clear();
    this.#targetValues.set(target, value);
    await this.#applyTarget(target, value);
  }

  /** Leaves the machine's setting to the rider. */
  free() {
    this.#targetValues.clear();
  }

  async #applyTarget(target, value) {
    if (!this.supports(target)) return;
    const { least = value, most = value } = this.#ranges[target] ?? {};
    await this.#send(commands[target](Math.min(Math.max(value, least), most)));
  }

  async #send(command) {
    await this.#control?.send(command);
  }

  async #setUp(server) {
    this.#reading.clear();
    const service = await server.getPrimaryService(UUID.machineService);
    await this.#readDeviceInformation(server);
    await this.#readFeatures(service);
    await this.#listen(service);
    await this.#takeControl(service);
  }

  async #readDeviceInformation(server) {
    try {
      const service = await server.getPrimaryService(UUID.informationService);
      this.maker = decodeText(await readOptional(service, UUID.manufacturer));
      this.model = decodeText(await readOptional(service, UUID.model));
    } catch {
      // These facts are optional.
    }
  }

  async #readFeatures(service) {
    const features = await readOptional(service, UUID.feature);
    if (features) Object.assign(this, decodeFeature(features));
    const resistance = await readOptional(service, UUID.resistanceRange);
    const power = await readOptional(service, UUID.powerRange);
    this.#ranges = {};
    if (resistance) this.#ranges.resistance = decodeRange(resistance, 0.1);
    if (power) this.#ranges.power = decodeRange(power);
  }

  async #listen(service) {
    const handler = (decode) => (view) => {
      const packet = decode(view);
      if (!packet) return;
      this.#reading.take(packet, Date.now());
      this.dispatchEvent(new Event("reading"));
    };
    const isBike = await subscribe(service, UUID.bikeData, handler(decodeBike));
    const isRower = !isBike && (await subscribe(service, UUID.rowerData, handler(decodeRower)));
    if (!isBike && !isRower) throw new Error("neither a bike nor a rower");
    this.kind = isBike ? "bike" : "rower";
    await subscribe(service, UUID.status, (view) => this.#handleStatus(decodeStatus(view)));
  }

  /** Requests control. Without it a machine still reports; only the rider sets its resistance. */
  async #takeControl(service) {
    const point = await subscribe(service, UUID.controlPoint, () => {});
    if (!point) return;
    const control = new ControlPoint(point);
    try {
      await control.send(commands.control());
    } catch {
      return;
    }
    this.#control = control;
    for (const [target, value] of this.#targetValues)
      this.#applyTarget(target, value).catch(() => {});
  }

  #handleStatus(status) {
    if (!status) return;
    if (status.event === "controlLost") {
      this.#send(commands.control()).catch(() => (this.#control = undefined));
    }
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }
}

function decodeText(view) {
  return view ? latin.decode(view).replace(/\0+$/, "").trim() : "";
}
