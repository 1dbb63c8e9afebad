import Basics
import Foundation
import Templates
import Web

/// The zones that a person can choose, by the part of the world.
public enum TimeZoneChoices {
  private struct Region {
    /// The key of its name.
    let textKey: String
    let zones: [Zone]
  }

  private struct Zone {
    let identifier: String
    let city: String
    let zone: TimeZone
  }

  /// What Foundation still calls by names that nobody looks for any more.
  private static let newNames = [
    "Asia/Calcutta": "Kolkata", "Asia/Katmandu": "Kathmandu", "Asia/Rangoon": "Yangon",
    "Asia/Saigon": "Ho Chi Minh", "Europe/Kiev": "Kyiv", "GMT": "UTC",
  ]

  private static let names = [
    "Africa": "zone.africa", "America": "zone.america", "Antarctica": "zone.antarctica",
    "Arctic": "zone.arctic", "Asia": "zone.asia", "Atlantic": "zone.atlantic",
    "Australia": "zone.australia", "Europe": "zone.europe", "Indian": "zone.indian",
    "Pacific": "zone.pacific",
  ]

  private static let known = Set(TimeZone.knownTimeZoneIdentifiers)

  private static let regions: [Region] = {
    let zones = known.compactMap { identifier in
      TimeZone(identifier: identifier).map {
        Zone(identifier: identifier, city: city(identifier), zone: $0)
      }
    }
    return Dictionary(grouping: zones) { region($0.identifier) }
      .sorted { $0.key < $1.key }
      .map { Region(textKey: $0.key, zones: $0.value.sorted { $0.city < $1.city }) }
  }()

  /// Whether this is one of the zones in the list, another name of a place in the time zone database
  /// ("Asia/Kolkata", which Foundation's list has by its old name), or what the reader has already.
  public static func accepts(_ identifier: String, _ context: Context) -> Bool {
    known.contains(identifier) || identifier == context.timeZone.identifier || isPlace(identifier)
  }

  private static func isPlace(_ identifier: String) -> Bool {
    let parts = identifier.split(separator: "/")
    guard parts.count > 1, names[String(parts[0])] != nil else { return false }
    // Foundation takes names with a NUL behind them.
    return !identifier.unicodeScalars.contains("\0") && TimeZone(identifier: identifier) != nil
  }

  /// "Taipei", "Ho Chi Minh", "Buenos Aires, Argentina".
  public static func city(_ identifier: String) -> String {
    if let name = newNames[identifier] { return name }
    let parts = identifier.split(separator: "/").map { $0.replacing("_", with: " ") }
    return parts.count > 1 ? parts.dropFirst().reversed().joined(separator: ", ") : identifier
  }

  /// The groups of the list, with one of them chosen.
  public static func groups(chosen: String, _ context: Context) -> [TimeZoneGroupView] {
    var groups = regions.map { region in
      TimeZoneGroupView(
        name: context.text(region.textKey),
        zones: region.zones.map { view($0, chosen: chosen, now: context.now) })
    }
    if !known.contains(chosen), accepts(chosen, context) {
      let own = Zone(
        identifier: chosen, city: city(chosen),
        zone: TimeZone(identifier: chosen) ?? context.timeZone)
      groups.insert(
        TimeZoneGroupView(
          name: context.text("zone.own"), zones: [view(own, chosen: chosen, now: context.now)]),
        at: 0)
    }
    return groups
  }

  private static func view(_ zone: Zone, chosen: String, now: Instant) -> TimeZoneView {
    TimeZoneView(
      identifier: zone.identifier,
      name: "\(zone.city) (\(offset(zone.zone.secondsFromGMT(for: now.date))))",
      isChosen: zone.identifier == chosen)
  }

  /// "UTC+8", "UTC−3:30".
  private static func offset(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    if minutes == 0 { return "UTC" }
    let rest = minutes % 60 == 0 ? "" : ":\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    return "UTC\(seconds < 0 ? "−" : "+")\(minutes / 60)\(rest)"
  }

  /// The key of the name of the part of the world.
  private static func region(_ identifier: String) -> String {
    let parts = identifier.split(separator: "/")
    return (parts.count > 1 ? names[String(parts[0])] : nil) ?? "zone.utc"
  }
}

/// One part of the world in the list of zones.
public struct TimeZoneGroupView: View {
  let name: String
  let zones: [TimeZoneView]

  public static let fields: [String: Field<TimeZoneGroupView>] = [
    "group": .text { $0.name },
    "zones": .list { $0.zones },
  ]
}

public struct TimeZoneView: View {
  let identifier: String
  let name: String
  let isChosen: Bool

  public static let fields: [String: Field<TimeZoneView>] = [
    "identifier": .text { $0.identifier },
    "city": .text { $0.name },
    "chosen": .flag { $0.isChosen },
  ]
}
