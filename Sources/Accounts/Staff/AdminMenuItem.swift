import Core
import Database

/// One line of the front page of staff, made by the module that it leads to.
public struct AdminMenuItem: Sendable {
  let link: String
  let icon: String
  /// The key of its name.
  let textKey: String
  let least: Role
  /// How many of it wait or are there; nil where nothing is counted.
  let count: (@Sendable (ReadTransaction, Instant) throws -> Int)?

  public init(
    _ link: String, icon: String, _ textKey: String, for least: Role,
    count: (@Sendable (ReadTransaction, Instant) throws -> Int)? = nil
  ) {
    self.link = link
    self.icon = icon
    self.textKey = textKey
    self.least = least
    self.count = count
  }
}
