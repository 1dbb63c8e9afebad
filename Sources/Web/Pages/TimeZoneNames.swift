import Core
import Foundation
import Synchronization
import Templates

/// The display names of time zones, from the Unicode CLDR.
public enum TimeZoneNames {
  /// The city of a zone: "Taipei", "台北"; for a zone without one its offset, "UTC−3".
  public static func city(_ name: String, in language: Language) -> String {
    guard let zone = TimeZone(named: name) else { return "UTC" }
    let start = Date(timeIntervalSince1970: 0)
    return exemplar(zone, in: language) ?? offset(zone.secondsFromGMT(for: start))
  }

  /// The name of a zone's time: "Taipei time", "台北時間", "UTC"; a site's default is marked as such.
  public static func time(
    of zone: PersonTimeZone, in language: Language, _ catalogues: Catalogues
  ) -> String {
    let city = city(zone.name, in: language)
    let isPlace = exemplar(zone.zone, in: language) != nil
    let time =
      isPlace ? catalogues.text("time_zone.of_city", in: language, ["city": city]) : city
    guard zone.source == .site else { return time }
    return catalogues.text("time_zone.of_site", in: language, ["time": time])
  }

  /// "UTC", "UTC+8", "UTC−3:30".
  public static func offset(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    if minutes == 0 { return "UTC" }
    let rest = minutes % 60 == 0 ? "" : ":\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    return "UTC\(seconds < 0 ? "−" : "+")\(minutes / 60)\(rest)"
  }

  private struct Name: Hashable {
    let zone: String
    let language: Language
  }

  /// The exemplar cities that were asked for before; making a formatter for each is slow.
  private static let exemplars = Mutex<[Name: String?]>([:])

  /// The CLDR's exemplar city (`VVV`, UTS #35); nil for zones without one.
  private static func exemplar(_ zone: TimeZone, in language: Language) -> String? {
    let name = Name(zone: zone.identifier, language: language)
    if let known = exemplars.withLock({ $0[name] }) { return known }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: language.rawValue)
    formatter.dateFormat = "VVV"
    formatter.timeZone = .gmt
    let unknown = formatter.string(from: .distantPast)
    formatter.timeZone = zone
    let city = formatter.string(from: .distantPast)
    let found = city == unknown ? nil : city
    exemplars.withLock { $0[name] = .some(found) }
    return found
  }
}

extension Context {
  /// The time zone of this viewer's days, as text: "Taipei time".
  public var timeZoneName: String { timeZoneName(for: personTimeZone) }

  /// The name of a zone's time in the viewer's language.
  public func timeZoneName(for zone: PersonTimeZone) -> String {
    TimeZoneNames.time(of: zone, in: language, site.catalogues)
  }
}
