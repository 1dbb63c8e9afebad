// IndexedDB in memory, as far as the tested modules use it.

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);
const keyOf = (row, path) => (Array.isArray(path) ? path.map((part) => row[part]) : row[path]);

/** Ranges of all keys that begin with the parts of `lower`. */
export const FakeKeyRange = {
  bound: (lower) => ({ prefix: lower }),
  only: (value) => value,
};

function fits(key, query) {
  if (query === undefined) return true;
  if (query.prefix) return query.prefix.every((part, place) => key[place] === part);
  return same(key, query);
}

export class FakeIndexedDB {
  constructor() {
    this.clear();
  }

  clear() {
    this.stores ??= {};
    for (const store of Object.values(this.stores)) store.rows = [];
  }

  open() {
    const request = {};
    setTimeout(() => {
      request.result = new FakeDatabase(this.stores);
      request.transaction = {};
      if (!Object.keys(this.stores).length) request.onupgradeneeded({ oldVersion: 0 });
      request.onsuccess();
    });
    return request;
  }
}

class FakeDatabase {
  constructor(stores) {
    this.stores = stores;
  }

  createObjectStore(name, { keyPath }) {
    const indexes = {};
    this.stores[name] = { keyPath, indexes, rows: [] };
    return {
      createIndex: (index, path, { unique = false } = {}) => (indexes[index] = { path, unique }),
    };
  }

  transaction() {
    return new FakeTransaction(this.stores);
  }

  close() {}
}

class FakeTransaction {
  error = null;
  #stores;
  #before;
  #waiting = 0;
  #isOver = false;

  constructor(stores) {
    this.#stores = stores;
    this.#before = Object.entries(stores).map(([name, { rows }]) => [name, structuredClone(rows)]);
    setTimeout(() => this.#completeIfIdle());
  }

  objectStore(name) {
    return new FakeStore(this.#stores[name], (work) => this.#request(work));
  }

  abort() {
    this.#isOver = true;
    for (const [name, rows] of this.#before) this.#stores[name].rows = rows;
    this.onabort?.();
  }

  #request(work) {
    const request = {};
    this.#waiting += 1;
    setTimeout(() => {
      if (this.#isOver) return;
      this.#waiting -= 1;
      try {
        request.result = work(request);
      } catch (error) {
        this.error = error;
        this.abort();
        return;
      }
      request.onsuccess?.({ target: request });
      setTimeout(() => this.#completeIfIdle());
    });
    return request;
  }

  #completeIfIdle() {
    if (this.#isOver || this.#waiting) return;
    this.#isOver = true;
    this.oncomplete?.();
  }
}

class FakeStore {
  constructor(store, request, path = store.keyPath) {
    Object.assign(this, { store, request, path });
  }

  index(name) {
    return new FakeStore(this.store, this.request, this.store.indexes[name].path);
  }

  find(query) {
    return this.store.rows.filter((row) => fits(keyOf(row, this.path), query));
  }

  get(key) {
    return this.request(() => structuredClone(this.find(key)[0]));
  }

  getAll(query) {
    return this.request(() => structuredClone(this.find(query)));
  }

  getAllKeys(query) {
    return this.request(() => this.find(query).map((row) => keyOf(row, this.store.keyPath)));
  }

  count(query) {
    return this.request(() => this.find(query).length);
  }

  add(row) {
    return this.request(() => this.write(row));
  }

  put(row) {
    return this.request(() => {
      const key = keyOf(row, this.path);
      this.store.rows = this.store.rows.filter((other) => !same(keyOf(other, this.path), key));
      return this.write(row);
    });
  }

  write(row) {
    const paths = Object.values(this.store.indexes).filter(({ unique }) => unique);
    for (const path of [this.store.keyPath, ...paths.map((index) => index.path)]) {
      const key = keyOf(row, path);
      const isWhole = [key].flat().every((part) => part !== undefined);
      if (isWhole && this.store.rows.some((other) => same(keyOf(other, path), key))) {
        throw new DOMException("exists", "ConstraintError");
      }
    }
    this.store.rows.push(structuredClone(row));
    return keyOf(row, this.store.keyPath);
  }

  delete(query) {
    return this.request(() => {
      const { keyPath } = this.store;
      this.store.rows = this.store.rows.filter((row) => !fits(keyOf(row, keyPath), query));
    });
  }

  openKeyCursor(query) {
    const keys = this.find(query).map((row) => keyOf(row, this.store.keyPath));
    let place = 0;
    const request = this.request(() => cursor());
    const cursor = () => {
      if (place >= keys.length) return null;
      return {
        primaryKey: keys[place],
        continue: () => {
          place += 1;
          const next = this.request(() => {
            request.result = cursor();
          });
          next.onsuccess = () => request.onsuccess();
        },
      };
    };
    return request;
  }
}
