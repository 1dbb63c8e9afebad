import Core
import Database

/// Removes moments that are over or deleted. The files go first, so that none is left without a
/// row; an interrupted run is completed by the next one.
struct MomentPurge {
  private static let batch = 200

  let services: MomentsEnvironment
  let database: Database

  /// `database` is that of the instance unless given.
  init(services: MomentsEnvironment, database: Database? = nil) {
    self.services = services
    self.database = database ?? services.site.database
  }

  private var store: MomentStore { services.moments }

  /// Removes all moments that are due. Those whose files can't be removed wait for the next run.
  func purgeDue(now: Instant) throws {
    while true {
      let due = try database.read { try store.due(now: now, limit: Self.batch, in: $0) }
      let count = try purge(due, now: now)
      if count == 0 || due.count < Self.batch { return }
    }
  }

  /// Removes those of these moments that are due; returns their number.
  @discardableResult
  func purge(_ moments: [ID<Moment>], now: Instant) throws -> Int {
    var count = 0
    for moment in moments {
      // A moment that is due is shown to no one, and can't be reported any more.
      guard try database.read({ try store.isDue(moment, now: now, in: $0) }) else { continue }
      do {
        try services.files.remove(moment)
      } catch {
        // A file that can't be removed is tried again, as long as the row is there.
        services.site.logger.error("moment: \(error)")
        continue
      }
      try database.write { try store.purge(moment, now: now, in: $0) }
      count += 1
    }
    return count
  }

  /// Removes folders of this machine that an interrupted upload has left.
  func removeOrphans() throws {
    let old = services.files.oldFolders()
    guard !old.isEmpty else { return }
    let existing = try database.read { try store.existing(old, in: $0) }
    for moment in old where !existing.contains(moment) { try services.files.remove(moment) }
  }
}
