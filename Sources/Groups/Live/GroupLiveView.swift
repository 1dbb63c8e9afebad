import Core
import Templates
import Web

/// The data of a group's live page besides the group: the viewer, the server's time, the units of
/// distances, and the URL of the map tiles.
///
/// The scripts' texts contain "#" in place of numbers (public/js/groups/words.js).
struct GroupLiveView: View {
  let me: ID<Person>?
  let now: Instant
  let until: Instant?
  let units: LengthUnits
  let assets: String
  let tiles: TileServer?
  let path: String

  init(_ group: Group, _ context: Context) {
    me = group.own?.person
    now = context.now
    until = group.sharing(now: context.now)
    units = context.units
    assets = context.site.assets()
    tiles = context.site.tiles
    path = context.path
  }

  static let fields: [String: Field<GroupLiveView>] = [
    "me": .optionalText { $0.me?.description },
    "now": .text { String($0.now.milliseconds) },
    "until": .optionalText { $0.until.map { String($0.milliseconds) } },
    "units": .text { $0.units.rawValue },
    "here": .text { $0.path },
    "tiles": .optionalText { $0.tiles?.url },
    "credit": .optionalText { $0.tiles?.credit },
    "leaflet": .text { "\($0.assets)/vendor/leaflet" },
    // Placeholders for numbers in the scripts' texts.
    "metres": .text { _ in "#" }, "kilometres": .text { _ in "#" }, "feet": .text { _ in "#" },
    "miles": .text { _ in "#" }, "from_leader": .text { _ in "#" }, "seconds": .text { _ in "#" },
    "minutes": .text { _ in "#" }, "hours": .text { _ in "#" },
    "sharing_left": .text { _ in "#" }, "accuracy": .text { _ in "#" },
  ]
}
