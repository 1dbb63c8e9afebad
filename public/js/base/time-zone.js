// Tells the server which time zone the browser is in, so that days and times are the person's.
const cookie = () => /(?:^|; )tz=([^;]*)/.exec(document.cookie)?.[1];

export function zone(root) {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!name) return;
  const [before, now] = [cookie(), encodeURIComponent(name)];
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `tz=${now}; Max-Age=31536000; Path=/; SameSite=Lax${secure}`;
  for (const field of root.querySelectorAll("input[name=time_zone]:not([value])")) {
    field.value = name;
  }
  if (before !== now && cookie() === now) catchUp();
}

// The server made this page before it knew the zone: what depends on it is read again.
async function catchUp() {
  if (!document.querySelector("[data-signed=in], [data-zone-part]")) return;
  const { get, pageOf } = await import("./fetch.js");
  try {
    const page = await pageOf(await get(location.pathname + location.search));
    for (const part of document.querySelectorAll("[data-zone-part]")) replace(part, page);
    const note = page.querySelector("[data-travel]");
    if (note && !document.querySelector("[data-travel]")) {
      document.querySelector("main").before(document.adoptNode(note));
    }
  } catch {
    // The next page shows it.
  }
}

function replace(part, page) {
  const fresh = page.querySelector(`[data-zone-part="${part.dataset.zonePart}"]`);
  const typed = [...part.querySelectorAll("input, select")].some(
    (field) => field.value !== (field.defaultValue ?? field.value));
  if (!fresh || typed) return;
  part.replaceWith(document.adoptNode(fresh));
  fresh.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
}
