// The position of this device, as the browser reports it. A browser reports none while its page is
// hidden or the phone is locked.

const WATCH_OPTIONS = { enableHighAccuracy: true, maximumAge: 5_000, timeout: 30_000 };
const REQUEST_OPTIONS = { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 };

export class PositionWatch {
  /**
   * @param clock gives the server's time in ms.
   * @param onPosition called after `position` has changed.
   * @param onError called with the browser's error of the watch.
   */
  constructor(clock, onPosition, onError) {
    Object.assign(this, { clock, onPosition, onError });
    // Changes with each stop, so that answers to earlier requests are ignored.
    this.session = 0;
    this.stop();
  }

  start() {
    this.id ??= navigator.geolocation.watchPosition(
      (position) => this.receive(position),
      (error) => this.onError(error),
      WATCH_OPTIONS,
    );
  }

  stop() {
    this.session += 1;
    if (this.id !== undefined) navigator.geolocation.clearWatch(this.id);
    /** The last position: {latitude, longitude, accuracy, at}, or undefined. */
    this.position = undefined;
    /** When `request` was called last, by `performance.now()`. */
    this.requestedAt = -Infinity;
    this.id = undefined;
  }

  /** Asks for the position once. A watch reports nothing about a user who stands still. */
  request() {
    const { session } = this;
    this.requestedAt = performance.now();
    navigator.geolocation.getCurrentPosition(
      (position) => session === this.session && this.receive(position),
      () => {},
      REQUEST_OPTIONS,
    );
  }

  receive({ coords, timestamp }) {
    // The phone's clock gives the age of a fix, the server's clock its moment.
    const at = this.clock() - Math.max(0, Date.now() - timestamp);
    const { latitude, longitude, accuracy } = coords;
    this.position = { latitude, longitude, accuracy, at };
    this.onPosition();
  }
}
