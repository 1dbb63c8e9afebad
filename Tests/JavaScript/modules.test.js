import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const FOLDERS = ["public/js", "Tests/JavaScript"];
const root = new URL("../../", import.meta.url);
const scripts = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true })
      .filter((name) => name.endsWith(".js"))
      .map((name) => `${folder}/${name}`)
      .map((path) => [path, readFileSync(new URL(path, root), "utf8")]),
  ),
);

const IMPORT = /import\s+(?:(\{[^}]*\}|\* as \w+)\s+from\s+)?"(\.[^"]+)"/g;
const DYNAMIC = /const (\{[^}]*\}|\w+) = await import\("(\.[^"]+)"\)/g;
const EXPORT = /^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm;
const REEXPORT = /^export \{([^}]*)\};/gm;

const names = (list) =>
  list
    .replace(/[{}]/g, "")
    .split(",")
    .map((name) => name.trim().split(/ as |:/)[0])
    .filter(Boolean);

function exportsOf(text) {
  return new Set([
    ...[...text.matchAll(EXPORT)].map(([, name]) => name),
    ...[...text.matchAll(REEXPORT)].flatMap(([, list]) => names(list)),
  ]);
}

/** All imports, as `{ from, of, names }`; `names` is undefined for all exports. */
const imports = [...scripts].flatMap(([from, text]) =>
  [...text.matchAll(IMPORT), ...text.matchAll(DYNAMIC)].map(([, list = "", path]) => ({
    from,
    of: posix.join(posix.dirname(from), path),
    names: !list || list.startsWith("{") ? names(list) : undefined,
  })),
);

test("Every import names a module and its exports", () => {
  for (const { from, of, names: imported = [] } of imports) {
    assert.ok(scripts.has(of), `${from}: ${of}`);
    const exported = exportsOf(scripts.get(of));
    for (const name of imported) assert.ok(exported.has(name), `${from}: ${name} of ${of}`);
  }
});

test("Every export is imported", () => {
  for (const [path, text] of scripts) {
    const uses = imports.filter(({ of }) => of === path);
    if (uses.some(({ names: imported }) => !imported)) continue;
    const used = new Set(uses.flatMap(({ names: imported }) => imported));
    // `start` is called by app.js.
    for (const name of exportsOf(text)) {
      assert.ok(used.has(name) || name === "start", `${path}: ${name}`);
    }
  }
});

test("app.js names modules that export `start`", () => {
  const app = scripts.get("public/js/app.js");
  const parts = [...app.matchAll(/"(\[data-[a-z-]+\])": "\.\/([^"]+)"/g)];
  assert.ok(parts.length > 20);
  for (const [, selector, path] of parts) {
    assert.ok(exportsOf(scripts.get(`public/js/${path}`) ?? "").has("start"), selector);
  }
});

test("Every module is imported or named by app.js", () => {
  const app = scripts.get("public/js/app.js");
  for (const path of scripts.keys()) {
    if (path.endsWith(".test.js") || path === "public/js/app.js") continue;
    const isNamed = app.includes(`"./${path.replace("public/js/", "")}"`);
    assert.ok(isNamed || imports.some(({ of }) => of === path), path);
  }
});

test("No script has more than 300 lines", () => {
  for (const [path, text] of scripts) {
    assert.ok(text.split("\n").length <= 301, path);
  }
});

/** Adds the modules that a module imports, and those that these import, to `found`. */
function addImported(path, found) {
  for (const [, , relative] of scripts.get(path).matchAll(IMPORT)) {
    const of = posix.join(posix.dirname(path), relative);
    if (found.has(of)) continue;
    found.add(of);
    addImported(of, found);
  }
  return found;
}

// A page has at most 60 KB compressed before pictures; its HTML and icons have less than 10.
test("The recorder needs at most 50 KB of scripts and styles before a recording starts", () => {
  const recorder = "public/js/workouts/recorder/recorder.js";
  const modules = new Set(["public/js/app.js", recorder]);
  for (const path of [...modules]) addImported(path, modules);
  assert.ok(!modules.has("public/js/workouts/recorder/ftms.js"));
  const read = (path) => readFileSync(new URL(path, root), "utf8");
  const order = read("public/css/order.txt").split("\n").filter(Boolean);
  const styles = order.map((name) => read(`public/css/${name}`)).join("");
  const files = [...[...modules].map(read), styles, read("public/css/recorder.css")];
  const size = files.reduce((sum, file) => sum + gzipSync(file, { level: 5 }).length, 0);
  assert.ok(size <= 50 * 1024, `${size} bytes`);
});

test("Pages preload the modules that app.js imports, and those that these import", () => {
  const wanted = addImported("public/js/app.js", new Set());
  const list = new URL("templates/partials/module-preloads.mustache", root);
  const preloads = readFileSync(list, "utf8").matchAll(/href="\{\{page\.assets\}\}([^"]+)"/g);
  assert.deepEqual([...preloads].map(([, path]) => `public${path}`).sort(), [...wanted].sort());
});
