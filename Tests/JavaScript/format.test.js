import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/browser.js";
import * as format from "../../public/js/base/format.js";
import { cases } from "./support/cases.js";

const ZONE = "Asia/Taipei";
// 09:12 in Taipei, and still the day before in New York.
const MOMENT = Date.parse("2023-08-05T01:12:00Z");

function inLanguage(language, work) {
  document.documentElement.lang = language;
  try {
    return work();
  } finally {
    document.documentElement.lang = "en";
  }
}

cases(
  "A number",
  {
    small: [7, 0, "7"],
    grouped: [1904, 0, "1,904"],
    decimals: [9.4, 1, "9.4"],
    "decimals that are zero": [9, 2, "9.00"],
    rounded: [2.345, 1, "2.3"],
    negative: [-1234, 0, "-1,234"],
  },
  (value, decimals, text) => {
    for (const language of ["en", "zh-Hant", "zh-Hans"]) {
      assert.equal(
        inLanguage(language, () => format.number(value, decimals)),
        text,
      );
    }
  },
);

cases(
  "A duration",
  {
    none: [0, "0:00"],
    "less than a minute": [59.9, "0:59"],
    minutes: [45 * 60 + 12, "45:12"],
    "an hour": [3600, "1:00:00"],
    hours: [3730, "1:02:10"],
    "a day": [86_400, "24:00:00"],
    negative: [-5, "0:00"],
  },
  (seconds, text) => assert.equal(format.clock(seconds), text),
);

cases(
  "A date",
  {
    English: ["en", "5 August 2023", "Saturday", "09:12"],
    "traditional Chinese": ["zh-Hant", "2023年8月5日", "星期六", "09:12"],
    "simplified Chinese": ["zh-Hans", "2023年8月5日", "星期六", "09:12"],
  },
  (language, day, weekday, time) =>
    inLanguage(language, () => {
      const found = [format.day, format.weekday, format.time].map((write) => write(MOMENT, ZONE));
      assert.deepEqual(found, [day, weekday, time]);
    }),
);

test("The day depends on the zone", () => {
  assert.equal(format.localDay(MOMENT, ZONE), "2023-08-05");
  assert.equal(format.localDay(MOMENT, "America/New_York"), "2023-08-04");
});

test("Midnight is written with zeros", () => {
  assert.equal(format.time(Date.parse("2023-08-04T16:00:00Z"), ZONE), "00:00");
});

test("An unknown zone falls back to the browser's", () => {
  assert.equal(format.localDay(MOMENT, "Mars/Base"), format.localDay(MOMENT));
});

// Without a zone: noon of a day, by the clock of this machine.
const noon = (...parts) => new Date(...parts, 12).getTime();

cases(
  "A long day",
  {
    English: ["en", "Saturday 21 November 2026"],
    Chinese: ["zh-Hans", "2026年11月21日 星期六"],
  },
  (language, text) => {
    assert.equal(
      inLanguage(language, () => format.longDay(noon(2026, 10, 21))),
      text,
    );
  },
);

cases(
  "A moment",
  {
    English: ["en", "21 November 2026, 12:00"],
    Chinese: ["zh-Hant", "2026年11月21日 12:00"],
  },
  (language, text) => {
    assert.equal(
      inLanguage(language, () => format.dateTime(noon(2026, 10, 21))),
      text,
    );
  },
);

test("A short day has no year in this year", () => {
  const year = new Date().getFullYear();
  assert.match(format.shortDay(noon(year, 10, 18)), /^[A-Z][a-z]{2} 18 Nov$/);
  assert.match(
    inLanguage("zh-Hant", () => format.shortDay(noon(year, 10, 18))),
    /^11月18日 星期.$/,
  );
  assert.equal(format.shortDay(noon(2020, 10, 18)), "18 November 2020");
});

test("Days are counted by midnights", () => {
  const today = new Date();
  const at = (days, hour) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hour).getTime();
  assert.equal(format.daysAgo(at(0, 0)), 0);
  assert.equal(format.daysAgo(at(-1, 23)), 1);
  assert.equal(format.daysAgo(at(-7, 12)), 7);
  assert.equal(format.daysAgo(at(1, 0)), -1);
});
