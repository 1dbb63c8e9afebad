// Reads a group's code with the camera, where the browser can, and submits it as if it were typed.
const SCAN_INTERVAL = 250;
const CODE = /^[A-HJKMNP-Z2-9]{6}(?:[A-HJKMNP-Z2-9]{20})?$/i;

export async function start(place) {
  const picture = document.querySelector("[data-join-picture]");
  const button = document.querySelector("[data-scan-start]");
  if (!(await canScan())) {
    // The system's camera takes a picture, which is submitted at once.
    const field = picture.elements.picture;
    field.addEventListener("change", () => picture.requestSubmit());
    button.addEventListener("click", () => field.click());
    button.hidden = false;
    picture.querySelector("button").hidden = true;
    return;
  }
  place.hidden = false;
  button.hidden = false;
  picture.hidden = true;
  const cancel = place.querySelector("[data-scan-cancel]");
  const words = place.querySelector("[data-scan-words]");
  let scan;
  cancel.addEventListener("click", () => scan?.abort());
  button.addEventListener("click", async () => {
    scan = new AbortController();
    button.disabled = true;
    cancel.hidden = false;
    words.textContent = "";
    try {
      const text = await read(place.querySelector("video"), scan.signal, (isOther) => {
        words.textContent = isOther ? place.dataset.other : "";
      });
      if (text !== null) submitCode(text);
    } catch {
      words.textContent = place.dataset.denied;
      picture.hidden = false;
    } finally {
      button.disabled = false;
      // The focus returns to the button.
      if (document.activeElement === cancel) button.focus();
      cancel.hidden = true;
    }
  });
}

async function canScan() {
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices) return false;
  const formats = await BarcodeDetector.getSupportedFormats().catch(() => []);
  return formats.includes("qr_code");
}

function submitCode(text) {
  const field = document.querySelector("#code");
  field.value = text;
  field.form.requestSubmit();
}

/**
 * The text that the camera reads; null when the user cancels or leaves the page. Turns the camera
 * off.
 */
async function read(video, signal, onResult) {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: "environment" },
  });
  try {
    if (signal.aborted) return null;
    video.srcObject = stream;
    video.hidden = false;
    await video.play();
    return await detect(video, signal, onResult);
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    video.hidden = true;
  }
}

/** The text of the first QR code that is an invite; null when cancelled. */
async function detect(video, signal, onResult) {
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  while (!document.hidden && !signal.aborted) {
    const found = await detector.detect(video).catch(() => []);
    if (signal.aborted) break;
    for (const { rawValue } of found) if (isInvite(rawValue)) return rawValue;
    onResult(found.length > 0);
    await new Promise((done) => setTimeout(done, SCAN_INTERVAL));
  }
  return null;
}

export function isInvite(text) {
  return CODE.test(text.trim()) || /(^|\/)join\/?\?(.*&)?code=/i.test(text);
}
