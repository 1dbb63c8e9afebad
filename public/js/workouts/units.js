// The units of distances that the person chose. Signed-in pages tell them; the offline pages, which
// are the same for all, remember the last ones of this browser.
const KEY = "units";
const METRES_A_MILE = 1609.344;

/** Whether distances are in miles and feet. */
export const inMiles = (() => {
  const { signed, units } = document.body.dataset;
  try {
    if (signed !== "in") return localStorage.getItem(KEY) === "feet";
    localStorage.setItem(KEY, units ?? "");
  } catch {
    // Without storage the offline pages use kilometres.
  }
  return units === "feet";
})();

/** Kilometres or miles, of m. */
export const longUnits = (metres) => metres / metresALongUnit;

/** Feet, of m. */
export const feet = (metres) => (metres / METRES_A_MILE) * 5280;

/** The speed per hour in the person's units, of km/h. */
export const speed = (kmh) => (kmh == null ? kmh : longUnits(kmh * 1000));

export const metresALongUnit = inMiles ? METRES_A_MILE : 1000;
