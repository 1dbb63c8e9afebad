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
    try services.site.database.write {
      try MessageReportStore(messages: services.messages).removeTexts(
        reportedBefore: DeletionPeriod.start(now: now), in: $0)
    }
    while true {
      let due = try services.site.database.write {
        try services.messages.purge(now: now, limit: Self.batch, in: $0)
      }
      for (message, conversation) in due {
        services.files.remove(folderOf: message, in: conversation)
      }
      if due.count < Self.batch { return }
    }
  }
}
