// Numbers, days and times, written as the server does (Sources/Web/When.swift), so that a page
// reads the same whether server or script fills it in. (A browser's "en" is American.)

const language = () => document.documentElement.lang;
const isEnglish = () => !language().startsWith("zh");

/** "1,904", "9.4": with a fixed number of decimals, the same in all languages. */
export function number(value, decimals = 0) {
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat("en-GB", options).format(value);
}

/** "45:12", or "1:02:10" from an hour on, of seconds. */
export function clock(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const two = (part) => `${part}`.padStart(2, "0");
  const minutes = Math.floor(all / 60);
  if (minutes < 60) return `${minutes}:${two(all % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(all % 60)}`;
}

// Moments are in ms since 1970. Without a zone, the browser's zone is used.

/** The day as "YYYY-MM-DD", for scripts. */
export function localDay(at, zone) {
  const options = { year: "numeric", month: "2-digit", day: "2-digit" };
  const { year, month, day: dayOfMonth } = partsOf(formatter("en-GB", options, zone), at);
  return `${year}-${month}-${dayOfMonth}`;
}

/** "09:12". */
export function time(at, zone) {
  const { hour, minute } = dateParts(at, zone);
  return `${hour}:${minute}`;
}

/** "5 August 2023", "2023年8月5日". */
export function day(at, zone) {
  const { year, month, day: dayOfMonth } = dateParts(at, zone);
  return isEnglish() ? `${dayOfMonth} ${month} ${year}` : `${year}年${month}月${dayOfMonth}日`;
}

/** "Monday", "星期一". */
export function weekday(at, zone) {
  return dateParts(at, zone).weekday;
}

/** "Saturday 21 November 2026", "2026年11月21日 星期六". */
export function longDay(at) {
  return isEnglish() ? `${weekday(at)} ${day(at)}` : `${day(at)} ${weekday(at)}`;
}

/** "Wed 18 Nov", "11月18日 星期三"; days of other years with their year. */
export function shortDay(at) {
  const { year, month, day: dayOfMonth, weekday: name } = dateParts(at);
  if (year !== dateParts(Date.now()).year) return day(at);
  if (isEnglish()) return `${name.slice(0, 3)} ${dayOfMonth} ${month.slice(0, 3)}`;
  return `${month}月${dayOfMonth}日 ${name}`;
}

/** "21 November 2026, 09:12", "2026年11月21日 09:12". */
export function dateTime(at) {
  return `${day(at)}${isEnglish() ? "," : ""} ${time(at)}`;
}

/** The number of midnights between a moment and now; negative for a later day. */
export function daysAgo(at) {
  return (Date.parse(localDay(Date.now())) - Date.parse(localDay(at))) / 86_400_000;
}

/** The parts of a moment; the month by name in English, by number in Chinese. */
function dateParts(at, zone) {
  const options = {
    weekday: "long",
    year: "numeric",
    month: isEnglish() ? "long" : "numeric",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  };
  return partsOf(formatter(isEnglish() ? "en-GB" : language(), options, zone), at);
}

function partsOf(format, at) {
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

function formatter(locale, options, zone) {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  } catch {
    // A zone unknown to this browser: falls back to its own.
    return new Intl.DateTimeFormat(locale, options);
  }
}
