// A limit on how long something is waited for.

/** Rejects when the promise takes longer than a time in ms. */
export function withTimeout(promise, time, what = "connection") {
  let timer;
  const end = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer in time`)), time);
  });
  return Promise.race([promise, end]).finally(() => clearTimeout(timer));
}
