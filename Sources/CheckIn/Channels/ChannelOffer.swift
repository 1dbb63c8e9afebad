import Core
import Foundation
import Mail
import Templates

/// A service for notifying contacts beside mail: an entry of `PAIRSPOT_CHANNELS`
/// (docs/operator/channels.md), or Web Push.
public struct ChannelOffer: Sendable {
  enum Kind: Sendable {
    case apprise
    /// With the key of its signatures.
    case webhook(secret: [UInt8])
    /// To a browser of the contact.
    case push
  }

  /// The name of Web Push, which no entry of the operator may have.
  static let pushName = "push"

  /// Lower-case letters, digits and hyphens; stored with the contacts who use it.
  let name: String
  let labels: [Language: String]
  let costs: [Language: String]
  let kind: Kind
  /// An Apprise URL with `{to}` in its path or query, or the address of a webhook; "" for Web Push.
  let url: String
  /// The regular expression for what a user enters; "" for Web Push.
  let pattern: String
  let example: String

  /// The name shown to users.
  func label(in language: Language) -> String { labels[language] ?? name }

  /// The operator's note about the costs of messages; nil if there is none.
  func cost(in language: Language) -> String? { costs[language] }

  /// The longest number or name that can be entered, in bytes.
  static let maximumLength = 100

  /// Whether a number or name that was entered can be one of this service.
  func accepts(_ recipient: String) -> Bool { means(to: recipient) != nil }

  /// A message to a recipient; nil if the offer does not accept them.
  func message(
    _ id: ID<QueuedMail>, to recipient: String, body: String, path: String,
    _ catalogues: Catalogues, in language: Language
  ) -> OutgoingMessage? {
    means(to: recipient).map {
      OutgoingMessage(
        id: id, means: $0, title: catalogues.text("brand", in: language), body: body, path: path,
        language: language)
    }
  }

  private func means(to recipient: String) -> OutgoingMessage.Means? {
    if case .push = kind { return PushTarget(recipient).map { .push($0) } }
    guard recipient.utf8.count <= Self.maximumLength, let pattern = try? Regex(pattern),
      recipient.wholeMatch(of: pattern) != nil
    else { return nil }
    if case .webhook(let secret) = kind {
      return .webhook(ChannelWebhook(url: url, secret: secret, recipient: recipient))
    }
    return .apprise(url: address(of: recipient))
  }

  /// The Apprise URL of a recipient, whose characters cannot change the rest of it.
  private func address(of recipient: String) -> String {
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

  /// Those of the operator, in the order of the file.
  let all: [ChannelOffer]
  /// Web Push, which only contacts can add.
  var push: ChannelOffer?

  /// Whether the operator offers any.
  public var isEmpty: Bool { all.isEmpty }

  /// Whether any is sent by Apprise.
  var hasApprise: Bool {
    all.contains { if case .apprise = $0.kind { true } else { false } }
  }

  /// The same with Web Push.
  func withPush(_ catalogues: Catalogues) -> ChannelOffers {
    var offers = self
    offers.push = ChannelOffer(
      name: ChannelOffer.pushName,
      labels: Dictionary(
        uniqueKeysWithValues: Language.allCases.map {
          ($0, catalogues.text("channels.push", in: $0))
        }), costs: [:], kind: .push, url: "", pattern: "", example: "")
    return offers
  }

  func find(_ name: String) -> ChannelOffer? {
    name == push?.name ? push : all.first { $0.name == name }
  }

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
  let secret: String?

  func offer() throws -> ChannelOffer {
    func check(_ isRight: Bool, _ problem: String) throws {
      if !isRight { throw ChannelOffers.InvalidFile(description: "\(name): \(problem)") }
    }
    try check(
      name.wholeMatch(of: /[a-z][a-z0-9-]{0,19}/) != nil && name != ChannelOffer.pushName,
      "a name has up to 20 lower-case letters, digits and hyphens, and is not “push”")
    let labels = Self.texts(label)
    try check(
      labels.count == Language.allCases.count && label.count == labels.count,
      "label needs en, zh-Hant and zh-Hans")
    if secret == nil {
      try check(Self.hasRecipientAfterHost(url), "url needs {to} once, after its host")
    } else {
      try check(Self.isWebhook(url), "url of a webhook needs https, and no {to}")
    }
    var kind = ChannelOffer.Kind.apprise
    if let secret {
      let key = ChannelWebhook.secret(secret)
      try check(key != nil, "secret needs whsec_ and 24 to 64 bytes in Base64")
      kind = .webhook(secret: key ?? [])
    }
    try check((try? Regex(to)) != nil, "to is no regular expression")
    let offer = ChannelOffer(
      name: name, labels: labels, costs: Self.texts(cost ?? [:]), kind: kind, url: url,
      pattern: to, example: example)
    try check(offer.accepts(example), "example does not match to")
    return offer
  }

  private static func texts(_ texts: [String: String]) -> [Language: String] {
    Dictionary(
      texts.compactMap { key, text in
        Language(rawValue: key).flatMap { text.isEmpty ? nil : ($0, text) }
      }, uniquingKeysWith: { $1 })
  }

  /// Whether a webhook can be called: by https, or on this machine.
  private static func isWebhook(_ url: String) -> Bool {
    guard let parts = URLComponents(string: url), let host = parts.host, !url.contains("{to}")
    else { return false }
    return parts.scheme == "https"
      || parts.scheme == "http" && ["127.0.0.1", "localhost"].contains(host)
  }

  /// Whether the host, and so the server that is called, is independent of a user's input.
  private static func hasRecipientAfterHost(_ url: String) -> Bool {
    let parts = url.components(separatedBy: "{to}")
    guard parts.count == 2, let scheme = parts[0].range(of: "://") else { return false }
    return parts[0][scheme.upperBound...].contains { $0 == "/" || $0 == "?" }
  }
}
