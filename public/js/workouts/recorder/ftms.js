// Decodes and encodes packets of the Bluetooth SIG's Fitness Machine Service 1.0 and Heart Rate
// Service 1.0. Knows nothing about connections, time or pages.
//
// Packets are decoded by tables of flags and their fields, in order. Machines deviate from the
// specification, so nothing here throws: a short packet gives the fields that are complete,
// reserved flags and trailing bytes are ignored, and "not available" is no value.

/** Identifiers of services and characteristics, for Web Bluetooth. */
export const UUID = {
  machineService: 0x1826,
  solidFocus: 0xfe01,
  heartService: 0x180d,
  informationService: 0x180a,
  feature: 0x2acc,
  bikeData: 0x2ad2,
  rowerData: 0x2ad1,
  status: 0x2ada,
  controlPoint: 0x2ad9,
  resistanceRange: 0x2ad6,
  powerRange: 0x2ad8,
  heartRate: 0x2a37,
  manufacturer: 0x2a29,
  model: 0x2a24,
};

const TYPES = {
  uint8: { size: 1, none: 0xff, read: (view, at) => view.getUint8(at) },
  uint16: { size: 2, none: 0xffff, read: (view, at) => view.getUint16(at, true) },
  sint16: { size: 2, none: 0x7fff, read: (view, at) => view.getInt16(at, true) },
  uint24: {
    size: 3,
    none: 0xffffff,
    read: (view, at) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16),
  },
  uint32: { size: 4, read: (view, at) => view.getUint32(at, true) },
};

/** A field: name, type, the value of one step, and whether it has a value for "not available". */
const field = (name, type, step = 1, hasNone = false) => ({ name, type, step, hasNone });

// The last fields of both machines, from the flag for energy on.
const COMMON = [
  [
    // kcal, kcal per hour, kcal per minute
    field("energy", "uint16", 1, true),
    field("energyPerHour", "uint16", 1, true),
    field("energyPerMinute", "uint8", 1, true),
  ],
  [field("heartRate", "uint8")],
  [field("metabolic", "uint8", 0.1)],
  [field("elapsed", "uint16")],
  [field("remaining", "uint16")],
];

// One row per flag, from bit 0 up. Bit 0 is inverted: its fields are present when it is *not* set,
// since it says that more packets of the same reading follow.
const BIKE_FIELDS = [
  [field("speed", "uint16", 0.01)],
  [field("averageSpeed", "uint16", 0.01)],
  [field("cadence", "uint16", 0.5)],
  [field("averageCadence", "uint16", 0.5)],
  [field("distance", "uint24")],
  [field("resistance", "sint16")],
  [field("power", "sint16")],
  [field("averagePower", "sint16")],
  ...COMMON,
];
const ROWER_FIELDS = [
  [field("cadence", "uint8", 0.5), field("strokes", "uint16")],
  [field("averageCadence", "uint8", 0.5)],
  [field("distance", "uint24")],
  // s per 500 m
  [field("pace", "uint16", 1, true)],
  [field("averagePace", "uint16", 1, true)],
  [field("power", "sint16")],
  [field("averagePower", "sint16")],
  [field("resistance", "sint16")],
  ...COMMON,
];

/** The moduli at which cumulative counters overflow. */
export const MODULUS = { distance: 1 << 24, energy: 1 << 16 };

/**
 * Decodes one packet: `values` by name (speed in km/h, cadence per minute, distance in m, power in
 * W, energy in kcal, heart rate per minute, pace in s per 500 m, times in s), whether `more`
 * packets of the same reading follow, and whether it was `short`. Undefined without flags.
 */
function decode(view, rows) {
  if (view.byteLength < 2) return undefined;
  const flags = view.getUint16(0, true);
  const packet = { values: {}, more: (flags & 1) === 1, short: false };
  let at = 2;
  for (const [bit, fields] of rows.entries()) {
    const isThere = ((flags >> bit) & 1) === (bit === 0 ? 0 : 1);
    if (!isThere) continue;
    for (const { name, type, step, hasNone } of fields) {
      const { size, none, read } = TYPES[type];
      if (at + size > view.byteLength) return { ...packet, short: true };
      const value = read(view, at);
      at += size;
      if (!(hasNone && value === none)) packet.values[name] = scaled(value, step);
    }
  }
  return packet;
}

/** 2015 steps of 0.01 are 20.15, not 20.150000000000002. */
function scaled(value, step) {
  return step === 1 ? value : Math.round(value * step * 100) / 100;
}

export const decodeBike = (view) => decode(view, BIKE_FIELDS);
export const decodeRower = (view) => decode(view, ROWER_FIELDS);

/**
 * A reading from several packets. Rowers split readings, some without saying so, and some machines
 * never send the last packet; so each value counts for a time, whichever packet it came in.
 */
export class Reading {
  // Lifetime of a value, in ms: machines send each at least every other second.
  static LIFETIME = 3_000;
  #values = new Map();

  take(packet, at) {
    for (const [name, value] of Object.entries(packet.values)) {
      this.#values.set(name, { value, at });
    }
  }

  /** The values that count at a moment, by name. */
  at(now) {
    const fresh = [...this.#values].filter(([, { at }]) => now - at <= Reading.LIFETIME);
    return Object.fromEntries(fresh.map(([name, { value }]) => [name, value]));
  }

  clear() {
    this.#values.clear();
  }
}

/**
 * Decodes a packet of a heart-rate sensor: heart rate per minute (undefined without skin contact),
 * energy in kJ, and the times between beats in s. Undefined for a packet without a value.
 */
export function decodeHeartRate(view) {
  if (view.byteLength < 2) return undefined;
  const flags = view.getUint8(0);
  const isWide = (flags & 1) !== 0;
  if (isWide && view.byteLength < 3) return undefined;
  const rate = isWide ? view.getUint16(1, true) : view.getUint8(1);
  const contact = (flags & 4) === 0 ? undefined : (flags & 2) !== 0;
  let at = isWide ? 3 : 2;
  const found = { heartRate: contact === false || !rate ? undefined : rate, contact, beats: [] };
  if (flags & 8 && at + 2 <= view.byteLength) {
    found.energy = view.getUint16(at, true);
    at += 2;
  }
  if (flags & 16) {
    for (; at + 2 <= view.byteLength; at += 2) found.beats.push(view.getUint16(at, true) / 1024);
  }
  return found;
}

const FEATURES = [
  "averageSpeed",
  "cadence",
  "distance",
  "inclination",
  "elevation",
  "pace",
  "steps",
  "resistance",
  "strides",
  "energy",
  "heartRate",
  "metabolic",
  "elapsed",
  "remaining",
  "power",
  "force",
  "users",
];
const TARGETS = [
  "speed",
  "inclination",
  "resistance",
  "power",
  "heartRate",
  "energy",
  "steps",
  "strides",
  "distance",
  "time",
  "twoZones",
  "threeZones",
  "fiveZones",
  "simulation",
  "wheel",
  "spinDown",
  "cadence",
];

/** The features and targets that a machine supports, as two sets of names. */
export function decodeFeature(view) {
  const names = (all, at) => {
    const bits = at + 4 <= view.byteLength ? view.getUint32(at, true) : 0;
    return new Set(all.filter((_, bit) => (bits >>> bit) & 1));
  };
  return { features: names(FEATURES, 0), targets: names(TARGETS, 4) };
}

/** The range and step of a target; undefined for a short packet. */
export function decodeRange(view, step = 1) {
  if (view.byteLength < 6) return undefined;
  return {
    least: scaled(view.getInt16(0, true), step),
    most: scaled(view.getInt16(2, true), step),
    step: scaled(view.getUint16(4, true), step),
  };
}

const STATUS = {
  0x01: ["reset"],
  0x02: ["stopped", "uint8"],
  0x03: ["safetyKey"],
  0x04: ["started"],
  0x05: ["speed", "uint16", 0.01],
  0x06: ["inclination", "sint16", 0.1],
  0x07: ["resistance", "uint8", 0.1],
  0x08: ["power", "sint16"],
  0x09: ["heartRate", "uint8"],
  0x0a: ["energy", "uint16"],
  0x0b: ["steps", "uint16"],
  0x0c: ["strides", "uint16"],
  0x0d: ["distance", "uint24"],
  0x0e: ["time", "uint16"],
  0x15: ["cadence", "uint16", 0.5],
  0xff: ["controlLost"],
};

/**
 * The status of the machine: its name ("stopped" may be "paused"), and a value where it has one.
 */
export function decodeStatus(view) {
  if (view.byteLength < 1) return undefined;
  const [event, type, step = 1] = STATUS[view.getUint8(0)] ?? ["other"];
  const isWhole = type && view.byteLength >= 1 + TYPES[type].size;
  const value = isWhole ? scaled(TYPES[type].read(view, 1), step) : undefined;
  if (event === "stopped") return { event: value === 2 ? "paused" : "stopped" };
  return value === undefined ? { event } : { event, value };
}

// Commands.

export const OPCODES = { control: 0x00, resistance: 0x04, power: 0x05, start: 0x07, stop: 0x08 };
const ANSWER = 0x80;
const RESULTS = { 1: "done", 2: "unknown", 3: "invalid", 4: "failed", 5: "notPermitted" };
const bytes = (...all) => new Uint8Array(all);
const clamp = (value, least, most) => Math.min(Math.max(Math.round(value), least), most);

export const commands = {
  control: () => bytes(OPCODES.control),
  start: () => bytes(OPCODES.start),
  // Both have the same opcode; the parameter says which.
  stop: () => bytes(OPCODES.stop, 1),
  pause: () => bytes(OPCODES.stop, 2),
  /** The level of resistance, sent in tenths. */
  resistance: (level) => bytes(OPCODES.resistance, clamp(level * 10, 0, 0xff)),
  /** The target power in W. */
  power(watts) {
    const value = clamp(watts, -0x8000, 0x7fff) & 0xffff;
    return bytes(OPCODES.power, value & 0xff, value >> 8);
  },
};

/** Decodes the response to a command: its opcode and the result. Undefined for anything else. */
export function decodeResponse(view) {
  if (view.byteLength < 3 || view.getUint8(0) !== ANSWER) return undefined;
  return { code: view.getUint8(1), result: RESULTS[view.getUint8(2)] ?? "failed" };
}
