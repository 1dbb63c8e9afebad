import Core
import Foundation

/// The code to join a group, in characters that cannot be confused: six to be typed, or 26 (128
/// bits) for links and QR codes, which can't be guessed.
public struct InviteCode: Equatable, Sendable {
  public static let length = 6
  static let linkLength = 26
  static let alphabet = Array("ABCDEFGHJKMNPQRSTUVWXYZ23456789")

  /// "K7M2QX".
  public let text: String

  /// Whether it is a link code.
  var isOfLink: Bool { text.count == Self.linkLength }

  static func random(length: Int = length) -> InviteCode {
    var generator = SystemRandomNumberGenerator()
    let characters = (0..<length).map { _ in
      alphabet[Int.random(in: alphabet.indices, using: &generator)]
    }
    return InviteCode(text: String(characters))
  }

  private init(text: String) {
    self.text = text
  }

  /// Reads a typed code: accepts lower case, full-width characters, spaces and hyphens.
  public init?(_ entered: some StringProtocol) {
    guard let plain = String(entered).compatible(upTo: 200) else { return nil }
    let text = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard text.count == Self.length || text.count == Self.linkLength,
      text.allSatisfy(Self.alphabet.contains)
    else { return nil }
    self.text = text
  }

  /// "K7M 2QX".
  public var spaced: String { "\(text.prefix(3)) \(text.suffix(3))" }
}

/// Parses what a user typed, pasted or scanned to join a group: a code alone, a PairSpot link, or a
/// link of the previous app (`hither://join?code=ABC234&name=Group%20Name`).
struct InviteLinkParser {
  /// As typed, not validated.
  let code: String
  /// The group's name in the link, shown only until the real name is known.
  let name: String?

  init(_ entered: String) {
    let text = entered.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let question = text.firstIndex(of: "?"), Self.isJoining(text[..<question]) else {
      code = text
      name = nil
      return
    }
    let query = text[text.index(after: question)...].prefix { $0 != "#" }
    var fields: [String: String] = [:]
    for field in query.split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = Self.decoded(parts[1]) else { continue }
      if fields[String(parts[0])] == nil { fields[String(parts[0])] = value }
    }
    code = fields["code"] ?? ""
    name = fields["name"]
  }

  /// Whether the part before the question mark is a join link, here or of the previous app. Of a
  /// link to another instance only the code counts, which is unknown here.
  private static func isJoining(_ address: Substring) -> Bool {
    let plain = address.lowercased()
    let path = plain.hasSuffix("/") ? String(plain.dropLast()) : plain
    return path == "join" || path.hasSuffix("/join")
  }

  private static func decoded(_ text: Substring) -> String? {
    text.replacing("+", with: " ").removingPercentEncoding
  }
}
