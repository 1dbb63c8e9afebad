import Core
import Database

/// An entry of the staff front page, provided by the module that it links to.
public struct AdminMenuItem: Sendable {
  let link: String
  let icon: String
  /// The text key of its name.
  let textKey: String
  let minimumRole: Role
  /// The number of waiting or existing items; nil if nothing is counted.
  let count: (@Sendable (ReadTransaction, Instant) throws -> Int)?

  public init(
    _ link: String, icon: String, _ textKey: String, for minimumRole: Role,
    count: (@Sendable (ReadTransaction, Instant) throws -> Int)? = nil
  ) {
    self.link = link
    self.icon = icon
    self.textKey = textKey
    self.minimumRole = minimumRole
    self.count = count
  }
}
