// The browser's database (IndexedDB): the outbox, values for offline pages ("told") and workouts.
// All access goes through this module, so schema steps run in one order and failures are alike.
const NAME = "pairspot";
const STORES = ["outbox", "told", "workouts", "recordings", "rides"];

// Schema steps build on each other: released ones never change, new ones are added.
const STEPS = [
  (database) => {
    const outbox = database.createObjectStore("outbox", { keyPath: "id" });
    outbox.createIndex("user", "user");
    // A row with `once` exists once per user: two check-ins of a day are one.
    outbox.createIndex("once", ["user", "once"], { unique: true });
    database.createObjectStore("told", { keyPath: ["user", "name"] });
  },
  // Workouts, see `workouts/workout-store.js`: the facts for lists and totals apart from the large
  // recordings, and rides that are not finished.
  (database) => {
    const workouts = database.createObjectStore("workouts", { keyPath: ["user", "id"] });
    workouts.createIndex("user", "user");
    workouts.createIndex("state", ["user", "state"]);
    database.createObjectStore("recordings", { keyPath: ["user", "id"] });
    database.createObjectStore("rides", { keyPath: ["user", "id"] });
  },
];

/** The browser cannot store data: a private window, a full disk, or storage turned off. */
export class StorageFailure extends Error {
  constructor(cause) {
    super(`storage: ${cause?.name ?? cause}`, { cause });
    this.name = "StorageFailure";
    /** Whether a unique row exists already. */
    this.isDuplicate = cause?.name === "ConstraintError";
    /** Whether there is no space left, rather than no storage at all. */
    this.isFull = cause?.name === "QuotaExceededError";
  }
}

/**
 * Runs `work(transaction)`, which may return a request. Resolves to the result of that request when
 * everything is on disk.
 */
export async function transact(mode, work) {
  const transaction = await beginTransaction(mode);
  return new Promise((resolve, reject) => {
    let request;
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(new StorageFailure(transaction.error));
    try {
      request = work(transaction);
    } catch (error) {
      // All or nothing: undoes what was written so far.
      transaction.abort();
      reject(error instanceof DOMException ? new StorageFailure(error) : error);
    }
  });
}

let opening;

// A page with an open database cannot return from the back-forward cache.
addEventListener("pagehide", () => {
  opening?.then((database) => database.close()).catch(() => {});
  opening = undefined;
});

async function beginTransaction(mode) {
  // "strict": what is reported as saved survives a phone that loses power in that second.
  const options = { durability: "strict" };
  try {
    return (await connection()).transaction(STORES, mode, options);
  } catch (error) {
    if (error instanceof StorageFailure) throw error;
    // The browser has closed the database meanwhile (a phone that slept): tries once more.
    opening = undefined;
    try {
      return (await connection()).transaction(STORES, mode, options);
    } catch (again) {
      throw again instanceof StorageFailure ? again : new StorageFailure(again);
    }
  }
}

function connection() {
  opening ??= open(STEPS.length)
    // A newer version of the site was here. Steps only add, so this version can go on with it.
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
      // Lets a page of a newer version upgrade; the next use here opens the database again.
      database.onversionchange = () => {
        database.close();
        opening = undefined;
      };
      database.onclose = () => (opening = undefined);
      resolve(database);
    };
  });
}
