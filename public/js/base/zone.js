// Tells the server which time zone the person is in, so that days and times are theirs.
export function zone(root) {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!name) return;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie =
    `tz=${encodeURIComponent(name)}; Max-Age=31536000; Path=/; SameSite=Lax${secure}`;
  for (const field of root.querySelectorAll("input[name=time_zone]")) field.value = name;
}
