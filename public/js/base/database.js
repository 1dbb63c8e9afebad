// The browser's own database: what waits to be sent, and what pages tell those that open without a
// network. One place opens it, so that its steps are in one order and a failure is told in one way.
const NAME = "pairspot";
const STORES = ["outbox", "told", "workouts", "recordings", "rides"];

// Each step builds on those before it; what has landed never changes, only new steps are added.
const STEPS = [
  (database) => {
    const outbox = database.createObjectStore("outbox", { keyPath: "id" });
    outbox.createIndex("user", "user");
    // A row that names `once` stands there once a person: two taps of a day are one.
    outbox.createIndex("once", ["user", "once"], { unique: true });
    database.createObjectStore("told", { keyPath: ["user", "name"] });
  },
  // Workouts, see `workouts/workout-store.js`: what lists and sums need, apart from the many numbers of a
  // recording, and rides that are not over.
  (database) => {
    const workouts = database.createObjectStore("workouts", { keyPath: ["user", "id"] });
    workouts.createIndex("user", "user");
    workouts.createIndex("state", ["user", "state"]);
    database.createObjectStore("recordings", { keyPath: ["user", "id"] });
    database.createObjectStore("rides", { keyPath: ["user", "id"] });
  },
];

/** The browser keeps nothing for us: a private window, a full disk, storage turned off. */
export class StorageFailure extends Error {
  constructor(cause) {
    super(`storage: ${cause?.name ?? cause}`, { cause });
    this.name = "StorageFailure";
    /** Whether a row was there already that must stand there once. */
    this.isRepeated = cause?.name === "ConstraintError";
    /** Whether there is no room left, rather than no storage at all. */
    this.isFull = cause?.name === "QuotaExceededError";
  }
}

/**
 * Runs `work(transaction)`, which may return a request, and gives that request's result once all
 * of it is on disk.
 */
export async function transact(mode, work) {
  const transaction = await begin(mode);
  return new Promise((resolve, reject) => {
    let request;
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(new StorageFailure(transaction.error));
    try {
      request = work(transaction);
    } catch (error) {
      // All or nothing: what was begun is undone.
      transaction.abort();
      reject(error instanceof DOMException ? new StorageFailure(error) : error);
    }
  });
}

let opening;

// A page that is left lets go, or the back button could not bring it back as it was.
addEventListener("pagehide", () => {
  opening?.then((database) => database.close()).catch(() => {});
  opening = undefined;
});

async function begin(mode) {
  // "strict": a tap that is said to be saved outlives a phone that goes dark in that second.
  const options = { durability: "strict" };
  try {
    return (await opened()).transaction(STORES, mode, options);
  } catch (error) {
    if (error instanceof StorageFailure) throw error;
    // The browser closed the database meanwhile (a phone that slept): once more from the start.
    opening = undefined;
    try {
      return (await opened()).transaction(STORES, mode, options);
    } catch (again) {
      throw again instanceof StorageFailure ? again : new StorageFailure(again);
    }
  }
}

function opened() {
  opening ??= open(STEPS.length)
    // A newer version of our pages was here: steps only ever add, so this one can go on with it.
    .catch((error) => (error?.name === "VersionError" ? open() : Promise.reject(error)))
    .catch((error) => {
      opening = undefined;
      throw new StorageFailure(error);
    });
  return opening;
}

function open(version) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, version);
    request.onupgradeneeded = ({ oldVersion }) => {
      for (const step of STEPS.slice(oldVersion)) step(request.result, request.transaction);
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      // Lets a page of a newer version take its steps; the next use here opens it again.
      database.onversionchange = () => {
        database.close();
        opening = undefined;
      };
      database.onclose = () => (opening = undefined);
      resolve(database);
    };
  });
}
