import Core
import Foundation

/// What lets people into a group, in characters of which none looks like another: six to be typed,
/// or 26 (128 bits) for links and QR codes, which can't be guessed.
public struct InviteCode: Equatable, Sendable {
  public static let length = 6
  static let linkLength = 26
  static let alphabet = Array("ABCDEFGHJKMNPQRSTUVWXYZ23456789")

  /// "K7M2QX".
  public let text: String

  /// Whether it is of a link.
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

  /// Reads a code as people type it: small letters, full-width ones, spaces and hyphens are fine.
  public init?(_ typed: some StringProtocol) {
    guard let plain = String(typed).compatible(upTo: 200) else { return nil }
    let text = plain.uppercased().filter { !$0.isWhitespace && !"-–—‐_.".contains($0) }
    guard text.count == Self.length || text.count == Self.linkLength,
      text.allSatisfy(Self.alphabet.contains)
    else { return nil }
    self.text = text
  }

  /// "K7M 2QX".
  public var spaced: String { "\(text.prefix(3)) \(text.suffix(3))" }
}

/// What somebody typed, pasted or scanned to get into a group: a code alone, our own link, or that
/// of the app before (`hither://join?code=ABC234&name=Group%20Name`).
struct InviteLinkParser {
  /// As typed: whether it is a code is another question.
  let code: String
  /// What the link calls the group, to be shown only until its true name is known.
  let name: String?

  init(_ typed: String) {
    let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
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

  /// Whether what stands before the question mark leads to joining, here or in the old app. Of
  /// another house's link only the code counts, which is then unknown here.
  private static func isJoining(_ address: Substring) -> Bool {
    let plain = address.lowercased()
    let path = plain.hasSuffix("/") ? String(plain.dropLast()) : plain
    return path == "join" || path.hasSuffix("/join")
  }

  private static func decoded(_ text: Substring) -> String? {
    text.replacing("+", with: " ").removingPercentEncoding
  }
}
