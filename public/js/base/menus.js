// Closes menus by Escape and by a tap elsewhere.
export function setUpMenus() {
  const open = () => document.querySelectorAll("details[data-menu][open]");
  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-focus]");
    const field = target && document.getElementById(target.dataset.focus);
    if (!field) return;
    event.preventDefault();
    field.focus();
  });
}
