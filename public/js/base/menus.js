// Closes menus by Escape and by a tap elsewhere, and moves in them by arrow keys.
export function setUpMenus() {
  const open = () => document.querySelectorAll("details[data-menu][open]");
  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    for (const menu of open()) {
      if (event.key === "Escape") {
        menu.open = false;
        menu.querySelector("summary").focus();
      } else if (menu.contains(event.target)) {
        moveFocus(menu, event);
      }
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

function moveFocus(menu, event) {
  const items = [...menu.querySelectorAll(".menu-item")];
  const at = items.indexOf(event.target.closest(".menu-item"));
  const to = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at < 1 ? items.length : at) - 1,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  if (to === undefined || !items.length) return;
  event.preventDefault();
  items[to].focus();
}
