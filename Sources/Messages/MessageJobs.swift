import Core
import Jobs
import Web

/// Background jobs of this module.
struct MessageJobs {
  private static let batch = 200

  let services: MessagesEnvironment

  var all: [JobKind] {
    [
      .recurring("messages.purge", every: .hours(6)) { try purge(now: $0) },
      .recurring("messages.encrypt-files", every: .minutes(5), lease: .minutes(30)) { _ in
        try FileEncryptionJob(services: services).run()
      },
    ]
  }

  /// Removes what moderators could see of deleted and edited messages, and folders without files.
  private func purge(now: Instant) throws {
    defer { services.files.removeEmptyFolders() }
    try purgeTexts(now: now)
    try services.removals.run()
  }

  private func purgeTexts(now: Instant) throws {
    try services.site.database.write {
      try MessageReportStore(messages: services.messages).removeTexts(
        reportedBefore: DeletionPeriod.start(now: now), in: $0)
    }
    while true {
      let due = try services.site.database.write { writer in
        let due = try services.messages.purge(now: now, limit: Self.batch, in: writer)
        try services.removals.add(
          due.map { MessageFiles.folder($0.message, of: $0.conversation) }, in: writer)
        return due
      }
      if due.count < Self.batch { return }
    }
  }
}
