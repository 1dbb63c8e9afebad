// Where the top of the screen points, in degrees from north. iPhones say it only after a tap that
// asked; others say it at once, if they know it at all.

// What knows where it points says so within so long, in ms.
const PATIENCE = 2_000;

/** Whether this device may have a compass; only what is held in a hand shows the button. */
export const mayHaveCompass = () => "DeviceOrientationEvent" in window;

/**
 * Calls `turned` with the heading whenever it changed. Throws an error whose message is
 * "compassRefused" when the person or the browser says no, or "noCompass" when nothing is heard.
 */
export async function followCompass(turned) {
  const ask = window.DeviceOrientationEvent.requestPermission;
  if (ask) {
    const answer = await ask.call(window.DeviceOrientationEvent).catch(() => "denied");
    if (answer !== "granted") throw new Error("compassRefused");
  }
  const name = "ondeviceorientationabsolute" in window ? "absolute" : "";
  let next;
  await new Promise((heard, failed) => {
    const hear = (event) => {
      const heading = headingOf(event);
      if (heading === undefined) return;
      clearTimeout(timer);
      heard();
      if (next === undefined) {
        requestAnimationFrame(() => {
          turned(next);
          next = undefined;
        });
      }
      next = heading;
    };
    const timer = setTimeout(() => {
      removeEventListener(`deviceorientation${name}`, hear);
      failed(new Error("noCompass"));
    }, PATIENCE);
    addEventListener(`deviceorientation${name}`, hear);
  });
}

/** Both figures are of the phone's own top: held sideways, another side of it is the screen's. */
export function headingOf({ webkitCompassHeading, absolute, alpha }) {
  const angle = screen.orientation?.angle ?? window.orientation ?? 0;
  if (webkitCompassHeading >= 0) return (webkitCompassHeading + angle + 360) % 360;
  if (!absolute || alpha === null || alpha === undefined) return undefined;
  return (((360 - alpha + angle) % 360) + 360) % 360;
}
