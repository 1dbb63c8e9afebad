import Basics
import Foundation

/// Why a password is refused.
public enum PasswordProblem: Error, Sendable, Equatable, CaseIterable {
  case tooShort
  case tooLong
  case hasNull
  /// One of the most common ones.
  case common
  /// The e-mail address, or the part before its @.
  case sameAsEmail
}

/// Which passwords may be chosen (accounts.md, "Signing in").
public struct PasswordRules: Sendable {
  /// The fewest characters.
  public static let fewestCharacters = 8
  /// The most bytes of UTF-8 after NFC: bcrypt ignores what stands behind them.
  public static let mostBytes = 72

  private let list: String
  private let common = Guarded<Set<String>?>(nil)

  /// Reads the list of common passwords, one a line. Throws when the file cannot be read or
  /// holds none.
  public init(listPath: String) throws {
    list = try String(contentsOfFile: listPath, encoding: .utf8)
    guard list.contains(where: { !$0.isNewline }) else { throw CocoaError(.fileReadCorruptFile) }
  }

  /// The first reason to refuse a password, nil when it may be chosen. `email` is the address of
  /// the account that it is for.
  public func problem(with password: String, email: String? = nil) -> PasswordProblem? {
    // Composing makes no text so much shorter.
    guard password.utf8.count <= 4 * Self.mostBytes else { return .tooLong }
    let normalised = password.composed
    if normalised.utf8.contains(0) { return .hasNull }
    if normalised.count < Self.fewestCharacters { return .tooShort }
    if normalised.utf8.count > Self.mostBytes { return .tooLong }
    let folded = Self.folded(normalised)
    if let email, Self.isSame(folded, as: Self.folded(email)) { return .sameAsEmail }
    return isCommon(folded) ? .common : nil
  }

  /// The lines are folded once somebody chooses a password: three programs open the rules at a
  /// start, and most of them never ask.
  private func isCommon(_ folded: String) -> Bool {
    common.withLock { common in
      let lines =
        common
        ?? Set(list.split(whereSeparator: \.isNewline).map { Self.folded(String($0)) })
      common = lines
      return lines.contains(folded)
    }
  }

  private static func isSame(_ password: String, as email: String) -> Bool {
    password == email || password == email.prefix { $0 != "@" }
  }

  private static func folded(_ text: String) -> String {
    text.composed.lowercased()
  }
}
