import Core
import Foundation

/// The reason why a new password is rejected.
public enum PasswordError: Error, Sendable, Equatable, CaseIterable {
  case tooShort
  case tooLong
  case hasNull
  /// One of the most common passwords, or known from a breach.
  case common
  /// The e-mail address, or the part before its @.
  case sameAsEmail
  /// Consists of names of the site, the user or the couple.
  case contextWord
}

/// The rules for new passwords.
public struct PasswordRules: Sendable {
  /// The minimum length in characters.
  public static let minimumCharacters = 8
  /// The maximum length in bytes of UTF-8 after NFC: more than 64 characters of any script.
  public static let maximumBytes = 1024

  private let list: String
  private let common = PThreadLocked<Set<String>?>(nil)
  private let breached: PasswordFilter
  private let siteNames: [String]

  /// Reads the list of common passwords, one per line, and opens the filter of breached ones.
  /// `siteNames` are names of the site, which no password may consist of. Throws if a file cannot
  /// be read or is empty.
  public init(listPath: String, filterPath: String, siteNames: [String] = []) throws {
    list = try String(contentsOfFile: listPath, encoding: .utf8)
    guard list.contains(where: { !$0.isNewline }) else { throw CocoaError(.fileReadCorruptFile) }
    breached = try PasswordFilter(path: filterPath)
    self.siteNames = siteNames
  }

  /// The first reason to reject a password; nil if it is acceptable. `email` is the address of the
  /// account, `names` are those of the user and the couple.
  public func problem(
    with password: String, email: String? = nil, names: [String] = []
  ) -> PasswordError? {
    guard password.utf8.count <= Self.maximumBytes * 2 else { return .tooLong }
    let normalised = password.composed
    if normalised.utf8.contains(0) { return .hasNull }
    if normalised.count < Self.minimumCharacters { return .tooShort }
    if normalised.utf8.count > Self.maximumBytes { return .tooLong }
    let folded = Self.folded(normalised)
    if let email, Self.isSame(folded, as: Self.folded(email)) { return .sameAsEmail }
    if PasswordContext(siteNames + names).make(folded) { return .contextWord }
    return isCommon(folded) ? .common : nil
  }

  /// Whether the password is common or breached. The list is folded at the first use: three
  /// programs load the rules at their start, and most of them never check a password.
  private func isCommon(_ folded: String) -> Bool {
    let withoutSigns = folded.trimmed { !$0.isLetter && !$0.isNumber }
    let word = folded.trimmed { !$0.isLetter }
    let isListed = common.withLock { common in
      let lines =
        common
        ?? Set(list.split(whereSeparator: \.isNewline).map { Self.folded(String($0)) })
      common = lines
      // A common word with a few digits and signs around it is guessed soon after the word itself.
      let isDecorated = word.count >= 4 && word.count * 2 >= folded.count
      return lines.contains(folded) || lines.contains(withoutSigns)
        || isDecorated && lines.contains(word)
    }
    return isListed
      || [folded, withoutSigns].contains {
        $0.count >= Self.minimumCharacters && breached.mayContain($0)
      }
  }

  private static func isSame(_ password: String, as email: String) -> Bool {
    password == email || password == email.prefix { $0 != "@" }
  }

  private static func folded(_ text: String) -> String {
    text.composed.lowercased()
  }
}

/// Names of the site and its users, which a password may not consist of.
private struct PasswordContext {
  /// Characters that often replace others in passwords ("leet").
  private static let substitutions: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]
  private static let minimumRemaining = 4
  private static let maximumSurrounding = 6

  private let words: Set<String>

  init(_ names: [String]) {
    var words: Set<String> = []
    for name in names {
      let parts = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
      words.formUnion((parts + [parts.joined()]).map { $0.lowercased() }.filter(Self.counts))
    }
    self.words = words
  }

  /// Whether a word is long enough. One or two Latin characters occur in too many words; two
  /// Chinese ones are a name.
  private static func counts(_ word: String) -> Bool {
    word.count >= 3 || word.count == 2 && !word.utf8.allSatisfy { $0 < 128 }
  }

  /// Whether little remains of a folded password without these names, digits and signs.
  func make(_ password: String) -> Bool {
    let plain = String(password.filter { $0.isLetter })
    guard password.count - plain.count <= Self.maximumSurrounding else { return false }
    let swapped = String(password.map { Self.substitutions[$0] ?? $0 }.filter { $0.isLetter })
    return [plain, swapped].contains { text in
      var rest = text
      for word in words.sorted(by: { $0.count > $1.count }) {
        rest = rest.replacingOccurrences(of: word, with: "")
      }
      return rest.count < text.count && rest.count < Self.minimumRemaining
    }
  }
}

extension String {
  /// The text without the matching characters at both ends.
  fileprivate func trimmed(_ fits: (Character) -> Bool) -> String {
    guard let first = firstIndex(where: { !fits($0) }), let last = lastIndex(where: { !fits($0) })
    else { return "" }
    return String(self[first...last])
  }
}
