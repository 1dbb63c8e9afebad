import { test } from "node:test";

/** Runs `check(...values)` as a test for each named case: `{ name: [values] }`. */
export function cases(title, table, check) {
  for (const [name, values] of Object.entries(table)) {
    test(`${title}: ${name}`, () => check(...values));
  }
}
