import Core
import Foundation
import Templates
import Web

/// The time zones to choose from, grouped by region, in the viewer's language.
public enum TimeZoneChoices {
  /// One place; the tz database has several names for some.
  private struct Place {
    let city: String
    let identifiers: [String]
    let zone: TimeZone

    /// The identifier with the current spelling of the city ("Europe/Kyiv", not "Europe/Kiev").
    let identifier: String
  }

  private struct Region {
    /// The text key of its name.
    let textKey: String
    let places: [Place]
  }

  private static let names = [
    "Africa": "zone.africa", "America": "zone.america", "Antarctica": "zone.antarctica",
    "Arctic": "zone.arctic", "Asia": "zone.asia", "Atlantic": "zone.atlantic",
    "Australia": "zone.australia", "Europe": "zone.europe", "Indian": "zone.indian",
    "Pacific": "zone.pacific",
  ]

  // Each list is built at its first use in that language.
  private static let english = regions(in: .english)
  private static let traditionalChinese = regions(in: .traditionalChinese)
  private static let simplifiedChinese = regions(in: .simplifiedChinese)

  private static func regions(_ language: Language) -> [Region] {
    switch language {
    case .english: english
    case .traditionalChinese: traditionalChinese
    case .simplifiedChinese: simplifiedChinese
    }
  }

  private static func regions(in language: Language) -> [Region] {
    let locale = Locale(identifier: language.rawValue)
    return Dictionary(grouping: TimeZone.knownTimeZoneIdentifiers, by: region)
      .sorted { $0.key < $1.key }
      .map { key, identifiers in
        let places = Dictionary(grouping: identifiers) { TimeZoneNames.city($0, in: .english) }
          .compactMap { place($0.value.sorted(), english: $0.key, language) }
        return Region(
          textKey: key,
          places: places.sorted {
            $0.city.compare($1.city, locale: locale) == .orderedAscending
          })
      }
  }

  private static func place(
    _ identifiers: [String], english: String, _ language: Language
  ) -> Place? {
    let spelled = english.replacing(" ", with: "_")
    let identifier = identifiers.first { $0.hasSuffix("/\(spelled)") } ?? identifiers.first
    guard let identifier, let zone = TimeZone(named: identifier) else { return nil }
    return Place(
      city: TimeZoneNames.city(identifier, in: language), identifiers: identifiers, zone: zone,
      identifier: identifier)
  }

  /// The groups of the list with the chosen place marked; none for "".
  public static func groups(chosen: String, _ context: Context) -> [TimeZoneGroupView] {
    let regions = regions(context.language)
    let listed = place(of: chosen, regions)
    let groups = regions.map { region in
      TimeZoneGroupView(
        name: context.text(region.textKey),
        zones: region.places.map { view($0, isChosen: $0.identifier == listed, context.now) })
    }
    guard listed == nil, let own = place([chosen], english: "", context.language) else {
      return groups
    }
    let group = TimeZoneGroupView(
      name: context.text("zone.own"), zones: [view(own, isChosen: true, context.now)])
    return [group] + groups
  }

  /// The listed identifier of a zone, which may be an alias; nil if its place is not listed.
  private static func place(of name: String, _ regions: [Region]) -> String? {
    guard TimeZone(named: name) != nil else { return nil }
    let places = regions.flatMap(\.places)
    if let place = places.first(where: { $0.identifiers.contains(name) }) {
      return place.identifier
    }
    let city = TimeZoneNames.city(name, in: .english)
    return places.first {
      TimeZoneNames.city($0.identifier, in: .english) == city
    }?.identifier
  }

  private static func view(_ place: Place, isChosen: Bool, _ now: Instant) -> TimeZoneView {
    let offset = TimeZoneNames.offset(place.zone.secondsFromGMT(for: now.date))
    return TimeZoneView(
      identifier: place.identifier,
      name: offset == place.city ? offset : "\(place.city) (\(offset))", isChosen: isChosen)
  }

  /// The text key of the region's name.
  private static func region(_ identifier: String) -> String {
    let parts = identifier.split(separator: "/")
    return (parts.count > 1 ? names[String(parts[0])] : nil) ?? "zone.utc"
  }
}

/// A region in the list of time zones.
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
