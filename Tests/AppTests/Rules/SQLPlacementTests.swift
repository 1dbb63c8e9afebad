import Foundation
import Testing

/// Rows cannot be read by column number: `RowReader` only has `next`.
@Suite("SQL is where it belongs")
struct SQLPlacementTests {
  /// The kinds of files that have SQL (docs/developer/sql.md#rules). `Database` is the tool itself.
  nonisolated(unsafe) private static let home = try! Regex(
    #"^Database/|(?:(?:Store|Writer)(?:\+\w+)?|Schema|Visibility|Participant|Doctor|Restore)\.swift$"#
  )

  /// Files of other kinds that have SQL. The list only gets shorter.
  private static let exceptions: Set = [
    "Accounts/Couples/AnniversaryCouples.swift",
    "Accounts/Couples/BlockFilter.swift", "Accounts/Couples/CoupleNames.swift",
    "Accounts/Deletion/FileDeletionQueue.swift", "Accounts/People/UserDirectory.swift",
    "Accounts/People/UserProfile.swift",
    "Accounts/PersonalTable.swift",
    "Accounts/Staff/ModerationStatuses.swift",
    "App/Operations/KeyRotation.swift", "Backup/StoredBackup.swift",
    "CheckIn/Monitoring/CheckInHealth.swift", "Feed/FeedFiles.swift",
    "Feed/Posts/PostModeration.swift", "Feed/Posts/PostPromotion.swift",
    "Feed/Search/SearchIndex.swift", "Groups/Accounts/GroupsMerge.swift",
    "Groups/GroupExpiryJob.swift", "Groups/GroupsModule.swift", "Groups/Live/GroupObserver.swift",
    "Live/LiveOutbox.swift", "Moderation/AuditLog/AuditLog.swift",
    "Notices/Push/PushDeduplication.swift", "Notices/Push/PushOutbox.swift",
    "Web/Operations/PersistentCounter.swift", "Workouts/Statistics/RestoreGeneration.swift",
  ]

  /// The sources with SQL, without comments.
  private func sources() throws -> [(name: String, text: String)] {
    let statement =
      /"(?:""\s*)?(?:SELECT|INSERT|REPLACE|UPDATE|DELETE|WITH|PRAGMA|EXPLAIN)\s/
    return try CatalogueUsageTests.files(
      below: TestInstance.checkout.appending(path: "Sources"), ".swift"
    ).map { name, text in
      let code = text.split(separator: "\n").filter {
        !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
      }
      return (name, code.joined(separator: "\n"))
    }.filter { $0.text.contains(statement) }
  }

  @Test("Only stores and their like have SQL")
  func placement() throws {
    let others = Set(try sources().map(\.name).filter { !$0.contains(Self.home) })
    #expect(others.subtracting(Self.exceptions).sorted() == [], "belongs in a store")
    #expect(Self.exceptions.subtracting(others).sorted() == [], "is no exception any more")
  }

  @Test("Values stand where they are used: no statement has a question mark")
  func values() throws {
    for (name, text) in try sources() where !name.hasPrefix("Database/") {
      #expect(text.firstMatch(of: /[=<>(,] \?[,) \n]|\(\?,/) == nil, "\(name)")
    }
  }
}
