import Core
import Secrets

/// The prefix of nginx's internal locations: "/x-" and a secret of each start of `serve`. A
/// requested path, or one that a rewrite makes of it, can't name such a location.
public struct GuardPrefix: Equatable, Sendable {
  private static let fileName = "guard-prefix"
  private static let secretBytes = 16

  /// Without a slash at the end.
  public let path: String

  /// Without a secret: before the first start with such a prefix.
  static let none = GuardPrefix(path: "")

  static func random() -> GuardPrefix {
    GuardPrefix(path: "/x-" + Hex.text(RandomBytes.make(secretBytes)))
  }

  /// The prefix of the running nginx; `none` if the run folder has none. Throws `KeyFileError`.
  static func current(in runFolder: String) throws -> GuardPrefix {
    do throws(KeyFileError) {
      let bytes = try SecretFiles.read("\(runFolder)/\(fileName)")
      return GuardPrefix(path: String(decoding: bytes, as: UTF8.self))
    } catch .missing {
      return .none
    }
  }

  /// Makes it the current one. Throws `KeyFileError`.
  func save(in runFolder: String) throws(KeyFileError) {
    try SecretFiles.replace(Array(path.utf8), name: Self.fileName, in: runFolder)
  }
}
