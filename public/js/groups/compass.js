// Where the top of the phone points, in degrees from north. iPhones say it only after a tap that
// asked; others say it at once, if they know it at all.

/** Whether this device may have a compass; only what is held in a hand shows the button. */
export const mayHaveCompass = () => "DeviceOrientationEvent" in window;

/** Calls `turned` with the heading whenever it changed; throws when the person says no. */
export async function followCompass(turned) {
  const ask = window.DeviceOrientationEvent.requestPermission;
  if (ask && (await ask.call(window.DeviceOrientationEvent)) !== "granted") {
    throw new Error("no compass");
  }
  let next;
  const hear = (event) => {
    const heading = headingOf(event);
    if (heading === undefined) return;
    if (next === undefined) {
      requestAnimationFrame(() => {
        turned(next);
        next = undefined;
      });
    }
    next = heading;
  };
  const name = "ondeviceorientationabsolute" in window ? "absolute" : "";
  addEventListener(`deviceorientation${name}`, hear);
}

function headingOf({ webkitCompassHeading, absolute, alpha }) {
  if (webkitCompassHeading >= 0) return webkitCompassHeading;
  if (!absolute || alpha === null || alpha === undefined) return undefined;
  // A phone held sideways: its alpha is the heading of its own top, not of the screen's.
  const turned = screen.orientation?.angle ?? 0;
  return (((360 - alpha + turned) % 360) + 360) % 360;
}
