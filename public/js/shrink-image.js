// Makes a picture small enough to travel; one that already is goes as it was taken.
const ENOUGH = 2 * 1024 * 1024;
const STEPS = [
  { side: 4096, quality: 0.88 },
  { side: 3072, quality: 0.85 },
  { side: 2560, quality: 0.82 },
  { side: 2048, quality: 0.8 },
  { side: 1600, quality: 0.75 },
];

/** The file itself, or a JPEG of at most 2 MB of what it shows, upright. */
export async function shrunk(file) {
  if (file.size <= ENOUGH || file.type === "image/gif") return file;
  let picture;
  try {
    picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    // Not a picture that this browser reads: the server says what is wrong with it.
    return file;
  }
  try {
    for (const step of STEPS) {
      const made = await drawn(picture, step);
      if (made && made.size <= ENOUGH) {
        const name = file.name.replace(/\.[^.]*$/, "") + ".jpg";
        return new File([made], name, { type: "image/jpeg" });
      }
    }
    return file;
  } finally {
    picture.close();
  }
}

function drawn(picture, { side, quality }) {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext("2d");
  // JPEG knows no transparency.
  context.fillStyle = "#FFF";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
}
