// Ordering the items of a list: by dragging, after a long press on a touch screen, and by arrow keys.

// How long a finger rests before it drags, in ms, and how far it may move meanwhile, in px.
const PRESS = 300;
const SLIP = 10;

/**
 * Lets the user order the items of `list` that match `selector`; each has a button with
 * `data-open`.
 *
 * @param onMove called after each move.
 */
export function reorder(list, selector, onMove) {
  list.addEventListener("keydown", (event) => {
    const item = event.target.closest(`${selector} > [data-open]`)?.parentElement;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!item || !step) return;
    const other = step < 0 ? item.previousElementSibling : item.nextElementSibling;
    event.preventDefault();
    if (!other?.matches(selector)) return;
    if (step < 0) other.before(item);
    else other.after(item);
    event.target.focus();
    onMove();
  });
  list.addEventListener("pointerdown", (event) => {
    const item = event.target.closest(`${selector} > [data-open]`)?.parentElement;
    if (item && event.button === 0) new Drag(list, selector, item, event, onMove);
  });
}

class Drag {
  constructor(list, selector, item, event, onMove) {
    Object.assign(this, { list, selector, item, onMove });
    this.start = { x: event.clientX, y: event.clientY };
    this.isTouch = event.pointerType !== "mouse";
    this.stop = new AbortController();
    const options = { signal: this.stop.signal };
    if (this.isTouch) this.timer = setTimeout(() => this.begin(), PRESS);
    addEventListener("pointermove", (moved) => this.move(moved), options);
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => this.end(), options);
    }
    // Keeps a touch screen from scrolling, and the browser from dragging the picture itself.
    item.addEventListener("touchmove", (touch) => this.isMoving && touch.preventDefault(), {
      ...options,
      passive: false,
    });
    item.addEventListener("dragstart", (drag) => drag.preventDefault(), options);
    item.addEventListener("contextmenu", (menu) => this.isTouch && menu.preventDefault(), options);
  }

  begin() {
    this.isMoving = true;
    this.item.classList.add("is-dragged");
    addEventListener("click", swallow, true);
  }

  move({ clientX: x, clientY: y }) {
    if (!this.isMoving) {
      if (Math.hypot(x - this.start.x, y - this.start.y) < SLIP) return;
      // A finger that moves at once scrolls.
      if (this.isTouch) return this.end();
      this.begin();
    }
    const over = document.elementFromPoint(x, y)?.closest(this.selector);
    if (!over || over === this.item || over.parentElement !== this.list) return;
    const { left, width } = over.getBoundingClientRect();
    const place = x < left + width / 2 ? over : over.nextElementSibling;
    if (place === this.item || place?.previousElementSibling === this.item) return;
    this.list.insertBefore(this.item, place);
    this.onMove();
  }

  end() {
    clearTimeout(this.timer);
    this.stop.abort();
    this.item.classList.remove("is-dragged");
    setTimeout(() => removeEventListener("click", swallow, true));
  }
}

/** Keeps the click after a drag from opening the item. */
function swallow(click) {
  click.stopPropagation();
}
