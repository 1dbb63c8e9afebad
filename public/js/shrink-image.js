// Shrinks large pictures before the upload.
const MAX_BYTES = 2 * 1024 * 1024;
const STEPS = [
  { side: 4096, quality: 0.88 },
  { side: 3072, quality: 0.85 },
  { side: 2560, quality: 0.82 },
  { side: 2048, quality: 0.8 },
  { side: 1600, quality: 0.75 },
];

/** The file itself, or the picture as an upright JPEG of at most 2 MB. */
export async function shrinkImage(file) {
  if (file.size <= MAX_BYTES || file.type === "image/gif") return file;
  let picture;
  try {
    picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    // The browser cannot decode it: the server will say what is wrong.
    return file;
  }
  try {
    for (const step of STEPS) {
      const made = await drawScaled(picture, step);
      if (made && made.size <= MAX_BYTES) {
        const name = `${file.name.replace(/\.[^.]*$/, "")}.jpg`;
        return new File([made], name, { type: "image/jpeg" });
      }
    }
    return file;
  } finally {
    picture.close();
  }
}

function drawScaled(picture, { side, quality }) {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext("2d");
  // JPEG has no transparency.
  context.fillStyle = "#FFF";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
}
