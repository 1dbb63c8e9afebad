import Foundation

extension TimeZone {
  /// The maximum length of a time zone's name, in bytes.
  public static let maximumNameLength = 64

  /// The time zone with an IANA name or alias, as sent by a browser, an app or a user; nil for any
  /// other text. Foundation alone would also accept a name followed by NUL.
  public init?(named name: String) {
    let bytes = name.utf8
    guard bytes.count <= Self.maximumNameLength, bytes.allSatisfy(Self.isInName),
      let zone = TimeZone(identifier: name),
      // Foundation's spelling of an offset ("GMT+8" becomes "GMT+0800") is not an IANA name.
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

/// The stored time zone of an account.
public struct AccountTimeZone: Sendable, Equatable {
  /// An IANA name.
  public let name: String
  /// Whether the user chose it; otherwise a browser or an app reported it.
  public let isChosen: Bool
  /// A zone that the user declined while travelling.
  public let declined: String?

  public init(name: String, isChosen: Bool = false, declined: String? = nil) {
    self.name = name
    self.isChosen = isChosen
    self.declined = declined
  }
}

/// The time zone in which a user's days and hours are counted and shown: the account's, otherwise
/// the browser's, otherwise the site's default.
public struct PersonTimeZone: Sendable {
  /// The source of the zone.
  public enum Source: Sendable {
    case chosen
    /// Reported by a browser or an app.
    case reported
    /// The site's default: neither account nor browser has one.
    case site
  }

  /// An IANA name.
  public let name: String
  public let zone: TimeZone
  public let source: Source

  /// Applies the rule; an unknown name is ignored.
  public init(kept: AccountTimeZone?, browser: String? = nil, site: String) {
    let candidates: [(String?, Source)] = [
      (kept?.name, kept?.isChosen == true ? .chosen : .reported), (browser, .reported),
      (site, .site),
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

  /// Whether a browser's zone has another local time than the account's at a moment, and the user
  /// has not declined that zone.
  public static func asksToMove(
    from kept: AccountTimeZone?, to browser: String?, at moment: Instant
  ) -> Bool {
    guard let kept, let browser, kept.name != browser, kept.declined != browser,
      let here = TimeZone(named: kept.name), let there = TimeZone(named: browser)
    else { return false }
    return here.offset(at: moment) != there.offset(at: moment)
  }
}
