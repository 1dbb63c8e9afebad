import Core
import Database
import Web

/// An entry of the staff front page, provided by the module that it links to.
public struct AdminMenuItem: Sendable {
  let link: String
  let icon: String
  /// The text key of its name.
  let textKey: String
  let minimumRole: Role
  /// Whether the rail shows the count, too.
  let isCountedInRail: Bool
  /// The number of waiting or existing items; nil if nothing is counted.
  let count: (@Sendable (ReadTransaction, Instant) throws -> Int)?

  public init(
    _ link: String, icon: String, _ textKey: String, for minimumRole: Role,
    inRail isCountedInRail: Bool = false,
    count: (@Sendable (ReadTransaction, Instant) throws -> Int)? = nil
  ) {
    self.link = link
    self.icon = icon
    self.textKey = textKey
    self.minimumRole = minimumRole
    self.isCountedInRail = isCountedInRail
    self.count = count
  }
}

/// The admin menu as the rail of the pages of staff shows it.
public struct AdminMenu: StaffMenu {
  private let items: [AdminMenuItem]
  private let database: Database

  public init(items: [AdminMenuItem], database: Database) {
    self.items = items
    self.database = database
  }

  public func entries(for viewer: Viewer, now: Instant) throws -> [StaffMenuEntry] {
    try database.read { reader in
      try items.filter { viewer.role >= $0.minimumRole }.map {
        StaffMenuEntry(
          path: $0.link, icon: $0.icon, textKey: $0.textKey,
          count: $0.isCountedInRail ? try $0.count?(reader, now) : nil)
      }
    }
  }
}
