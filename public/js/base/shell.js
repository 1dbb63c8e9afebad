// Pages made for nobody: in the colours that the person chose, and with the tabs that they know.
import { isShell, lastTheme, lastUser } from "./current-user.js";

export async function dressShell() {
  if (!isShell()) return;
  const tabs = document.querySelector(".tabs");
  for (const tab of tabs.querySelectorAll("li > a")) mark(tab);
  try {
    const theme = await lastTheme();
    if (theme) document.documentElement.dataset.theme = theme;
    tabs.hidden = !(await lastUser());
    document.body.classList.toggle("has-rail", !tabs.hidden);
  } catch {
    // As the system has it, and with every way there is.
  }
}

/** The page may stand for any other one: which tab that is in, its address says. */
function mark(tab) {
  const { pathname: path } = tab;
  const isCurrent = location.pathname === path
    || (path !== "/" && location.pathname.startsWith(`${path}/`));
  if (isCurrent) tab.setAttribute("aria-current", "page");
  else tab.removeAttribute("aria-current");
}
