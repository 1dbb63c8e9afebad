// Tells the server the browser's time zone, in which it writes days and times.
const cookie = () => /(?:^|; )tz=([^;]*)/.exec(document.cookie)?.[1];

export function reportTimeZone(root) {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!name) return;
  const [before, now] = [cookie(), encodeURIComponent(name)];
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `tz=${now}; Max-Age=31536000; Path=/; SameSite=Lax${secure}`;
  for (const field of root.querySelectorAll("input[name=time_zone]:not([value])")) {
    field.value = name;
  }
  if (before !== now && cookie() === now) refreshZoneParts();
}

// Reloads the parts that the server wrote before it knew the zone.
async function refreshZoneParts() {
  if (!document.querySelector("[data-signed=in], [data-zone-part]")) return;
  const { get, parsePage } = await import("./fetch.js");
  try {
    const page = await parsePage(await get(location.pathname + location.search));
    for (const part of document.querySelectorAll("[data-zone-part]")) replacePart(part, page);
    const note = page.querySelector("[data-travel]");
    if (note && !document.querySelector("[data-travel]")) {
      document.querySelector("main").before(document.adoptNode(note));
    }
  } catch {
    // The next page shows it.
  }
}

function replacePart(part, page) {
  const fresh = page.querySelector(`[data-zone-part="${part.dataset.zonePart}"]`);
  const typed = [...part.querySelectorAll("input, select")].some(
    (field) => field.value !== (field.defaultValue ?? field.value),
  );
  if (!fresh || typed) return;
  part.replaceWith(document.adoptNode(fresh));
  fresh.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
}
