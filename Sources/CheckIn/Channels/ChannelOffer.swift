import Core
import Foundation

/// A service that the operator offers for notifying contacts beside mail: an entry of
/// `PAIRSPOT_CHANNELS` (docs/operator/channels.md).
public struct ChannelOffer: Sendable {
  /// Lower-case letters, digits and hyphens; stored with the contacts who use it.
  let name: String
  let labels: [Language: String]
  let costs: [Language: String]
  /// An Apprise URL with `{to}` in its path or query.
  let url: String
  /// The regular expression for what a user enters.
  let pattern: String
  let example: String

  /// The name shown to users.
  func label(in language: Language) -> String { labels[language] ?? name }

  /// The operator's note about the costs of messages; nil if there is none.
  func cost(in language: Language) -> String? { costs[language] }

  /// The longest number or name that can be entered, in bytes.
  static let maximumLength = 100

  /// Whether a number or name that was entered can be one of this service.
  func accepts(_ recipient: String) -> Bool {
    guard recipient.utf8.count <= Self.maximumLength, let pattern = try? Regex(pattern) else {
      return false
    }
    return recipient.wholeMatch(of: pattern) != nil
  }

  /// The Apprise URL of a recipient, whose characters cannot change the rest of it.
  func address(of recipient: String) -> String {
    let encoded =
      recipient.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
    return url.replacing("{to}", with: encoded)
  }

  /// RFC 3986, section 2.3.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// All offers, in the order of the file.
public struct ChannelOffers: Sendable {
  public static let none = ChannelOffers(all: [])

  let all: [ChannelOffer]

  public var isEmpty: Bool { all.isEmpty }

  func find(_ name: String) -> ChannelOffer? { all.first { $0.name == name } }

  /// Whether there is a service of this name, and a recipient can be one of it.
  public func accepts(_ recipient: String, by name: String) -> Bool {
    find(name)?.accepts(recipient) ?? false
  }
}

extension ChannelOffers {
  /// Why a file of offers cannot be used.
  public struct InvalidFile: Error, CustomStringConvertible {
    public let description: String
  }

  static let maximumCount = 20

  /// Reads the operator's file. Throws `InvalidFile`.
  public init(json: Data) throws {
    let entries: [Entry]
    do {
      entries = try JSONDecoder().decode([Entry].self, from: json)
    } catch {
      throw InvalidFile(description: "must be a JSON list of channels (\(Self.reason(error)))")
    }
    guard entries.count <= Self.maximumCount, Set(entries.map(\.name)).count == entries.count
    else {
      throw InvalidFile(
        description: "at most \(Self.maximumCount) channels, each with a name of its own")
    }
    self.init(all: try entries.map { try $0.offer() })
  }

  /// The place of an error, without values of the file, which holds secrets.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.map(\.stringValue).joined(separator: ".")
    default: "not readable as JSON"
    }
  }
}

/// An entry as it is written.
private struct Entry: Decodable {
  let name: String
  let label: [String: String]
  let url: String
  let to: String
  let example: String
  let cost: [String: String]?

  func offer() throws -> ChannelOffer {
    func check(_ isRight: Bool, _ problem: String) throws {
      if !isRight { throw ChannelOffers.InvalidFile(description: "\(name): \(problem)") }
    }
    try check(
      name.wholeMatch(of: /[a-z][a-z0-9-]{0,19}/) != nil,
      "a name has up to 20 lower-case letters, digits and hyphens")
    let labels = Self.texts(label)
    try check(
      labels.count == Language.allCases.count && label.count == labels.count,
      "label needs en, zh-Hant and zh-Hans")
    try check(Self.hasRecipientAfterHost(url), "url needs {to} once, after its host")
    try check((try? Regex(to)) != nil, "to is no regular expression")
    let offer = ChannelOffer(
      name: name, labels: labels, costs: Self.texts(cost ?? [:]), url: url, pattern: to,
      example: example)
    try check(offer.accepts(example), "example does not match to")
    return offer
  }

  private static func texts(_ texts: [String: String]) -> [Language: String] {
    Dictionary(
      texts.compactMap { key, text in
        Language(rawValue: key).flatMap { text.isEmpty ? nil : ($0, text) }
      }, uniquingKeysWith: { $1 })
  }

  /// Whether the host, and so the server that is called, is independent of a user's input.
  private static func hasRecipientAfterHost(_ url: String) -> Bool {
    let parts = url.components(separatedBy: "{to}")
    guard parts.count == 2, let scheme = parts[0].range(of: "://") else { return false }
    return parts[0][scheme.upperBound...].contains { $0 == "/" || $0 == "?" }
  }
}
