import Core
import Database
import Foundation

/// A post of the same day in an earlier year.
struct Memory {
  let post: ID<Post>
  /// The beginning of the text.
  let content: String
  let years: Int
}

extension PostStore {
  /// The years in which memories are looked for.
  private static let memoryYears = 5

  /// The latest post that the couple made on this day of an earlier year, as days are in this time
  /// zone; nil for viewers without a partner.
  func memory(
    of viewer: Viewer, today: LocalDay, in zone: TimeZone, _ reader: ReadTransaction
  ) throws -> Memory? {
    guard let couple = viewer.sharedCouple else { return nil }
    let (year, month, day) = today.components
    for years in 1...Self.memoryYears {
      // 29 February has no memories in most years.
      guard let day = LocalDay(year: year - years, month: month, day: day) else { continue }
      // Ends at the latest post before the end of that day: most couples have none so old.
      let latest = try reader.first(
        """
        SELECT id, substr(content, 1, 60), created_at FROM posts
        WHERE couple_id = \(couple) AND created_at < \(day.adding(days: 1).start(in: zone))
          AND deleted_at IS NULL AND hidden_at IS NULL
        ORDER BY created_at DESC LIMIT 1
        """
      ) { row -> (memory: Memory, createdAt: Instant) in
        let memory = Memory(post: try row.next(), content: try row.next(), years: years)
        return (memory, try row.next())
      }
      guard let latest else { return nil }
      if latest.createdAt >= day.start(in: zone) { return latest.memory }
    }
    return nil
  }
}
