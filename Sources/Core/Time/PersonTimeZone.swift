import Foundation

extension TimeZone {
  /// The longest name of a zone that is read, in bytes.
  public static let longestName = 64

  /// The zone that a browser, an app or a person names: an IANA name or one of its aliases; nil for
  /// every other text. Foundation alone would also take a name with a NUL behind it.
  public init?(named name: String) {
    let bytes = name.utf8
    guard bytes.count <= Self.longestName, bytes.allSatisfy(Self.isInName),
      let zone = TimeZone(identifier: name),
      // What Foundation builds of an offset ("GMT+8" becomes "GMT+0800") isn't a name.
      zone.identifier == name || name == "UTC"
    else { return nil }
    self = zone
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"),
      UInt8(ascii: "-"), UInt8(ascii: "+"):
      true
    default: false
    }
  }
}

/// The time zone that an account has.
public struct KeptTimeZone: Sendable, Equatable {
  /// An IANA name.
  public let name: String
  /// Whether the person chose it; else a browser or an app told it.
  public let isChosen: Bool
  /// The zone of a place where the person wanted to stay with this one.
  public let declined: String?

  public init(name: String, isChosen: Bool = false, declined: String? = nil) {
    self.name = name
    self.isChosen = isChosen
    self.declined = declined
  }
}

/// The time zone by which a person's days and hours are counted and shown: the one that their
/// account has; else what their browser says; else the site's default.
public struct PersonTimeZone: Sendable {
  /// How the zone is known.
  public enum Source: Sendable {
    case chosen
    /// Told by a browser or an app.
    case told
    /// Nothing is known of the person.
    case site
  }

  /// An IANA name.
  public let name: String
  public let zone: TimeZone
  public let source: Source

  /// Applies the rule; a name that no zone has counts as none.
  public init(kept: KeptTimeZone?, browser: String? = nil, site: String) {
    let candidates: [(String?, Source)] = [
      (kept?.name, kept?.isChosen == true ? .chosen : .told), (browser, .told), (site, .site),
    ]
    for (name, source) in candidates {
      guard let name, let zone = TimeZone(named: name) else { continue }
      self.name = name
      self.zone = zone
      self.source = source
      return
    }
    name = "UTC"
    zone = .gmt
    source = .site
  }

  /// Whether a browser's zone shows another time than an account's at a moment, and the person
  /// hasn't said yet that they stay with theirs there.
  public static func asksToMove(
    from kept: KeptTimeZone?, to browser: String?, at moment: Instant
  ) -> Bool {
    guard let kept, let browser, kept.declined != browser, let here = TimeZone(named: kept.name),
      let there = TimeZone(named: browser)
    else { return false }
    return here.secondsFromGMT(for: moment.date) != there.secondsFromGMT(for: moment.date)
  }
}
