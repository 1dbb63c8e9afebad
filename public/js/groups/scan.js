// Reads a group's code with the camera, where the browser can: what it finds is what the field of
// the page takes, so the server says what it is worth.
const EVERY = 250;
const CODE = /^[A-HJKMNP-Z2-9]{6}$/i;

export async function start(place) {
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices) return;
  const formats = await BarcodeDetector.getSupportedFormats().catch(() => []);
  if (!formats.includes("qr_code")) return;
  place.hidden = false;
  const button = place.querySelector("[data-scan-start]");
  const video = place.querySelector("video");
  const words = place.querySelector("[data-scan-words]");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      video.srcObject = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: "environment" },
      });
    } catch {
      words.textContent = place.dataset.denied;
      button.disabled = false;
      return;
    }
    video.hidden = false;
    await video.play();
    const text = await find(video, (other) => {
      words.textContent = other ? place.dataset.other : "";
    });
    for (const track of video.srcObject.getTracks()) track.stop();
    video.hidden = true;
    button.disabled = false;
    if (text === null) return;
    const field = document.querySelector("#code");
    field.value = text;
    field.form.requestSubmit();
  });
}

/** What the first square that leads into a group says; null when the page is left. */
async function find(video, tell) {
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  while (!document.hidden) {
    const found = await detector.detect(video).catch(() => []);
    for (const { rawValue } of found) if (leads(rawValue)) return rawValue;
    tell(found.length > 0);
    await new Promise((done) => setTimeout(done, EVERY));
  }
  return null;
}

export function leads(text) {
  return CODE.test(text.trim()) || /(^|\/)join\/?\?(.*&)?code=/i.test(text);
}
