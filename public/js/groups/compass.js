// The compass: the direction to which the top of the screen points, in degrees from north. iPhones
// report it only after a tap that asks for it; others at once, if they can.

// Time in ms for a device to report a direction.
const TIMEOUT = 2_000;

/** Whether this device may have a compass. (CSS shows the button on hand-held devices only.) */
export const mayHaveCompass = () => "DeviceOrientationEvent" in window;

/**
 * Calls `turned` with the heading whenever it changes. Throws an error whose message is
 * "compassRefused" when the user or the browser refuses, or "noCompass" when nothing is reported.
 */
export async function followCompass(turned) {
  const ask = window.DeviceOrientationEvent.requestPermission;
  if (ask) {
    const answer = await ask.call(window.DeviceOrientationEvent).catch(() => "denied");
    if (answer !== "granted") throw new Error("compassRefused");
  }
  const name = "ondeviceorientationabsolute" in window ? "absolute" : "";
  let next;
  await new Promise((resolve, reject) => {
    const listen = (event) => {
      const heading = headingOf(event);
      if (heading === undefined) return;
      clearTimeout(timer);
      resolve();
      if (next === undefined) {
        requestAnimationFrame(() => {
          turned(next);
          next = undefined;
        });
      }
      next = heading;
    };
    const timer = setTimeout(() => {
      removeEventListener(`deviceorientation${name}`, listen);
      reject(new Error("noCompass"));
    }, TIMEOUT);
    addEventListener(`deviceorientation${name}`, listen);
  });
}

/** Both values refer to the top of the phone; the screen may be turned against it. */
export function headingOf({ webkitCompassHeading, absolute, alpha }) {
  const angle = screen.orientation?.angle ?? window.orientation ?? 0;
  if (webkitCompassHeading >= 0) return (webkitCompassHeading + angle + 360) % 360;
  if (!absolute || alpha === null || alpha === undefined) return undefined;
  return (((360 - alpha + angle) % 360) + 360) % 360;
}
