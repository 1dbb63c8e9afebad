// The map, if the operator has set an address for tiles. Leaflet is loaded only then.
import { STALE, isolated } from "./words.js";

const ZOOM = 16;

/**
 * Creates the map in `place`, which names the tiles and Leaflet's files. `pick` gets each position
 * that is pressed long, or with the right button.
 */
export async function showMap(place, words, pick) {
  const { tiles, leaflet, attribution } = place.dataset;
  const sheet = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: `${leaflet}/leaflet.css`,
  });
  const [kit] = await Promise.all([
    import(`${leaflet}/leaflet.js`),
    new Promise((loaded) => {
      sheet.onload = sheet.onerror = loaded;
      document.head.append(sheet);
    }),
  ]);
  place.hidden = false;
  const map = kit.map(place, { zoomControl: false, attributionControl: Boolean(attribution) });
  kit.control.zoom({ position: "bottomright" }).addTo(map);
  kit.tileLayer(tiles, { maxZoom: 19, attribution }).addTo(map);
  map.on("contextmenu", ({ latlng }) => pick({ latitude: latlng.lat, longitude: latlng.lng }));
  return new LiveMap(kit, map, words);
}

class LiveMap {
  constructor(kit, map, words) {
    this.kit = kit;
    this.map = map;
    this.words = words;
    this.marks = new Map();
    this.isFitting = false;
    // Fitting zooms the map too.
    map.on("dragstart zoomstart", () => (this.isMoved ||= !this.isFitting));
  }

  /** Shows {id, name, kind, latitude, longitude, age} each; `kind` is "me", "person" or "point". */
  show(things) {
    const left = new Set(this.marks.keys());
    for (const thing of things) {
      left.delete(thing.id);
      this.mark(thing);
    }
    for (const id of left) {
      this.marks.get(id).remove();
      this.marks.delete(id);
    }
    const spots = things.map(({ latitude, longitude }) => [latitude, longitude]);
    // Shows everything until the user moves the map.
    if (spots.length && !this.isMoved) {
      this.isFitting = true;
      this.map.fitBounds(spots, { padding: [32, 32], maxZoom: ZOOM, animate: false });
      this.isFitting = false;
    }
  }

  mark(thing) {
    const spot = [thing.latitude, thing.longitude];
    const age = thing.age >= 60_000 ? ` · ${this.words.age(thing.age)}` : "";
    let mark = this.marks.get(thing.id);
    if (!mark) {
      mark = this.kit.circleMarker(spot, { radius: 9, weight: 3 }).addTo(this.map);
      mark.bindTooltip("", { permanent: true, direction: "bottom", offset: [0, 8] });
      this.marks.set(thing.id, mark);
    }
    mark.setLatLng(spot);
    // A text node, never HTML: members choose their names.
    mark.setTooltipContent(document.createTextNode(isolated(thing.name) + age));
    const path = mark.getElement();
    path?.setAttribute("class", `map-mark map-${thing.kind}${thing.age > STALE ? " stale" : ""}`);
  }
}
