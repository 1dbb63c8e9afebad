import Core

/// The retention rule: keeps the last backup of each of the 7 latest days that have any, and of
/// each of the 4 latest weeks (docs/operator/backup-and-restore.md). Days, and weeks from Monday
/// on, are in UTC.
public struct RetentionPolicy: Sendable {
  public static let timer = RetentionPolicy(days: 7, weeks: 4)

  private static let secondsOfDay: Int64 = .days(1)
  /// 1970-01-01 was a Thursday.
  private static let daysFromMonday: Int64 = 3

  let days: Int
  let weeks: Int

  public init(days: Int, weeks: Int) {
    self.days = days
    self.weeks = weeks
  }

  /// The names to delete after `made` was made, oldest first; never that one. Backups with a later
  /// time come from a clock that was ahead, or the current clock is behind: that can't be decided,
  /// so they stay until their time has come, and don't count for the rule.
  public func leaving(_ names: [BackupName], after made: BackupName) -> [BackupName] {
    let names = names.filter { $0 <= made }
    let newestFirst = names.sorted(by: >)
    var kept: Set<BackupName> = Set(newestFirst.prefix(1))
    kept.formUnion(latest(of: newestFirst, maximumCount: days, in: Self.day))
    kept.formUnion(
      latest(of: newestFirst, maximumCount: weeks) { (Self.day($0) + Self.daysFromMonday) / 7 })
    return names.filter { !kept.contains($0) }.sorted()
  }

  private func latest(
    of newestFirst: [BackupName], maximumCount: Int, in span: (BackupName) -> Int64
  ) -> [BackupName] {
    var seen: Set<Int64> = []
    return newestFirst.filter { seen.count < maximumCount && seen.insert(span($0)).inserted }
  }

  private static func day(_ name: BackupName) -> Int64 {
    name.moment.milliseconds / (secondsOfDay * 1000)
  }
}
