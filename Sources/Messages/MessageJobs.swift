import Core
import Jobs
import Web

/// Background jobs of this module.
struct MessageJobs {
  let services: MessagesEnvironment

  var all: [JobKind] {
    [
      .recurring("messages.purge", every: .hours(6)) { try purge(now: $0) },
      .recurring("messages.encrypt-files", every: .minutes(5), lease: .minutes(30)) { _ in
        try FileEncryptionJob(services: services).run()
      },
    ]
  }

  /// Removes what moderators could see of deleted and edited messages, unless their cases need it, and
  /// folders without files.
  private func purge(now: Instant) throws {
    defer { services.files.removeEmptyFolders() }
    let start = DeletionPeriod.start(now: now)
    let database = services.site.database
    let reports = MessageReportStore(messages: services.messages)
    let (reported, due) = try database.read { reader in
      (
        try reports.messages(reportedBefore: start, in: reader),
        try services.messages.due(now: now, in: reader)
      )
    }
    try database.writeInBatches(reported) { message, writer in
      guard try !services.isEvidence(message, start, writer) else { return }
      try MessageReportStore.removeTexts(of: message, in: writer)
    }
    try database.writeInBatches(due) { message, writer in
      guard try !services.isEvidence(message, start, writer),
        let conversation = try services.messages.purge(message, now: now, in: writer)
      else { return }
      try services.removals.add([MessageFiles.folder(message, of: conversation)], in: writer)
    }
    try services.removals.run()
  }
}
