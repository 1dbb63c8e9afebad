import Core
import Testing

@testable import Backup

@Suite("Which backups are kept")
struct RetentionPolicyTests {
  private func names(_ moments: [String]) throws -> [BackupName] {
    try moments.map { try #require(BackupName($0)) }
  }

  @Test(
    "The last of each of so many days and weeks that have any stays, and always the newest",
    arguments: [
      // Nothing, one, two of one day.
      (7, 4, [], []),
      (7, 4, ["20260302T000000Z"], []),
      (7, 4, ["20260302T000000Z", "20260302T120000Z"], ["20260302T000000Z"]),
      // Three days, of which two are kept; 2026-03-01 was a Sunday, the last of its week.
      (
        2, 1, ["20260301T000000Z", "20260302T000000Z", "20260303T000000Z"],
        ["20260301T000000Z"]
      ),
      (2, 2, ["20260301T000000Z", "20260302T000000Z", "20260303T000000Z"], []),
      // Days without a backup don't count: backups don't expire by time alone.
      (2, 1, ["20250101T000000Z", "20260303T000000Z"], []),
      (1, 1, ["20250101T000000Z", "20260303T000000Z"], ["20250101T000000Z"]),
      // Even a rule that keeps nothing keeps the newest.
      (0, 0, ["20260301T000000Z", "20260302T000000Z"], ["20260301T000000Z"]),
      // Sunday's last and Monday's first are in two weeks.
      (0, 2, ["20260301T235959Z", "20260302T000000Z"], []),
      (0, 1, ["20260301T235959Z", "20260302T000000Z"], ["20260301T235959Z"]),
    ] as [(Int, Int, [String], [String])])
  func table(days: Int, weeks: Int, there: [String], gone: [String]) throws {
    let rule = RetentionPolicy(days: days, weeks: weeks)
    guard let last = try names(there).max() else { return }
    #expect(rule.leaving(try names(there), after: last).map(\.text) == gone)
    #expect(rule.leaving(try names(there).reversed(), after: last).map(\.text) == gone)
  }

  @Test("A daily backup over a year comes to rest at 7 days and the last of 4 weeks")
  func year() {
    var kept: [BackupName] = []
    let start: Int64 = 1_772_409_600_000
    for day in 0..<365 {
      let made = BackupName(Instant(milliseconds: start).adding(seconds: .days(Int64(day))))
      kept.append(made)
      let gone = Set(RetentionPolicy.timer.leaving(kept, after: made))
      kept.removeAll { gone.contains($0) }
      #expect(kept.count <= 11)
    }
    #expect(9...11 ~= kept.count)
    let age = kept.map { kept[kept.count - 1].moment.seconds(since: $0.moment) / 86_400 }
    // It ends on a Monday: the Sundays before are the last of their weeks.
    #expect(Set(age).isSuperset(of: [1, 8, 15]) && age.max() == 15)
    #expect(Set(age).isSuperset(of: 0...6))
  }

  @Test(
    "A name in another format is no time",
    arguments: [
      "", "20260302", "20260302T000000Z.partial", "20260230T000000Z", "20260302T250000Z",
      "20260302t000000z", "+0260302T000000Z", "2026-302T000000Z", "before-restore-x",
      "２0260302T0000",
    ])
  func foreign(name: String) { #expect(BackupName(name) == nil) }
}
