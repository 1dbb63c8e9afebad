"""Simulated machines in place of the browser's Bluetooth."""

# `machines.bike`, `.rower` and `.belt` answer like real ones; they live as long as the page.
SCRIPT = """(() => {
  const view = (bytes) => new DataView(new Uint8Array(bytes).buffer);
  const u16 = (value) => [value & 255, (value >> 8) & 255];
  const u24 = (value) => [...u16(value), (value >> 16) & 255];

  class Characteristic extends EventTarget {
    constructor(bytes) {
      super();
      this.value = view(bytes ?? []);
    }
    async readValue() { return this.value; }
    async startNotifications() { this.isOn = true; return this; }
    async writeValueWithResponse(data) { this.written?.([...data]); }
    say(bytes) {
      if (!this.isOn) return;
      this.value = view(bytes);
      this.dispatchEvent(new Event("characteristicvaluechanged"));
    }
  }

  class Device extends EventTarget {
    told = [];
    isNear = true;
    answers = true;
    refuses = new Set();
    distance = 0;
    energy = 0;
    connections = 0;
    constructor(id, name, make) {
      super();
      this.id = id;
      this.name = name;
      this.make = make;
      const device = this;
      this.gatt = {
        connected: false,
        async connect() {
          if (!device.isNear) throw new DOMException("out of range", "NetworkError");
          device.connections += 1;
          this.connected = true;
          device.services = device.make(device);
          return {
            async getPrimaryService(id) {
              const found = device.services[id];
              if (!found) throw new DOMException("no service", "NotFoundError");
              return {
                async getCharacteristic(id) {
                  if (!found[id]) throw new DOMException("no characteristic", "NotFoundError");
                  return found[id];
                },
              };
            },
          };
        },
        disconnect() { device.part(); },
      };
    }
    lose() {
      this.isNear = false;
      this.part();
    }
    part() {
      if (!this.gatt.connected) return;
      this.gatt.connected = false;
      this.dispatchEvent(new Event("gattserverdisconnected"));
    }
    comeBack() { this.isNear = true; }
    say(service, characteristic, bytes) {
      if (this.gatt.connected) this.services[service]?.[characteristic]?.say(bytes);
    }
    status(...bytes) { this.say(0x1826, 0x2ada, bytes); }
    stand() { clearInterval(this.timer); }
  }

  function control(device) {
    const point = new Characteristic();
    point.written = (bytes) => {
      device.told.push(bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" "));
      const result = device.refuses.has(bytes[0]) ? 4 : 1;
      if (device.answers) point.say([0x80, bytes[0], result]);
    };
    return point;
  }

  const machine = (data, targets) => (device) => ({
    [0x180a]: {
      [0x2a29]: new Characteristic([..."SolidFocus"].map((c) => c.charCodeAt(0))),
      [0x2a24]: new Characteristic([..."SF-M1"].map((c) => c.charCodeAt(0))),
    },
    [0x1826]: {
      [0x2acc]: new Characteristic([0x86, 0x44, 0, 0, ...targets, 0, 0, 0]),
      [data]: new Characteristic(),
      [0x2ada]: new Characteristic(),
      [0x2ad9]: control(device),
    },
  });

  const bike = new Device("bike-1", "SF-Bike-2041", machine(0x2ad2, [0x0c]));
  bike.pedal = function ({ power, cadence = 80, speed = 30, heart, counts = true }) {
    this.stand();
    let rest = 0;
    const beat = () => {
      rest += speed / 3.6;
      this.distance += Math.floor(rest);
      rest -= Math.floor(rest);
      const flags = 0x44 | (counts ? 0x10 : 0) | (heart ? 0x200 : 0);
      this.say(0x1826, 0x2ad2, [
        ...u16(flags), ...u16(speed * 100), ...u16(cadence * 2),
        ...(counts ? u24(this.distance % (1 << 24)) : []), ...u16(power),
        ...(heart ? [heart] : []),
      ]);
    };
    this.timer = setInterval(beat, 1000);
  };
  const rower = new Device("rower-1", "SF-Rower-7", machine(0x2ad1, [0x04]));
  rower.row = function ({ power, pace = 125, rate = 26 }) {
    this.stand();
    // One reading in two packets.
    this.timer = setInterval(() => {
      this.distance += 4;
      this.say(0x1826, 0x2ad1, [...u16(0x0d), ...u24(this.distance), ...u16(pace)]);
      this.say(0x1826, 0x2ad1, [...u16(0x20), rate * 2, ...u16(9), ...u16(power)]);
    }, 1000);
  };
  const belt = new Device("belt-1", "Belt 9", () => ({
    [0x180d]: { [0x2a37]: new Characteristic() },
  }));
  belt.beat = function (rate) {
    this.stand();
    this.timer = setInterval(() => this.say(0x180d, 0x2a37, [0x06, rate]), 1000);
  };

  const all = { bike, rower, belt };
  window.machines = { ...all, wanted: "bike", asked: [] };
  Object.defineProperty(navigator, "bluetooth", {
    value: {
      async requestDevice(options) {
        window.machines.asked.push(options);
        const isBelt = options.filters.some(({ services }) => services?.includes(0x180d));
        const name = isBelt ? "belt" : window.machines.wanted;
        if (!all[name]) throw new DOMException("cancelled", "NotFoundError");
        localStorage.setItem("allowed", `${localStorage.getItem("allowed") ?? ""} ${all[name].id}`);
        return all[name];
      },
      async getDevices() {
        const allowed = (localStorage.getItem("allowed") ?? "").split(" ");
        return Object.values(all).filter(({ id }) => allowed.includes(id));
      },
    },
  });
})();"""
