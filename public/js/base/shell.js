// Offline pages, which are made for no user in particular: shows them in the user's theme and with
// the tabs the user knows.
import { isShell, lastTheme, lastUser } from "./current-user.js";

export async function prepareShell() {
  if (!isShell()) return;
  const tabs = document.querySelector(".tabs");
  for (const tab of tabs.querySelectorAll("li > a")) markCurrentTab(tab);
  try {
    const theme = await lastTheme();
    if (theme) document.documentElement.dataset.theme = theme;
    tabs.hidden = !(await lastUser());
    document.body.classList.toggle("has-rail", !tabs.hidden);
  } catch {
    // Falls back to the system's theme and to all tabs.
  }
}

/** Marks the current tab by the address: an offline page may stand for any other page. */
function markCurrentTab(tab) {
  const { pathname: path } = tab;
  const isCurrent =
    location.pathname === path || (path !== "/" && location.pathname.startsWith(`${path}/`));
  if (isCurrent) tab.setAttribute("aria-current", "page");
  else tab.removeAttribute("aria-current");
}
