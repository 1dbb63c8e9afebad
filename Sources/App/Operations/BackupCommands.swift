import Accounts
import Album
import Backup
import CheckIn
import Core
import Database
import Feed
import Foundation
import Glibc
import Groups
import Jobs
import Live
import Mail
import Messages
import Moments
import Notices
import Secrets
import Trainings
import Workouts

/// `pairspot backup` and `pairspot restore`, with the contributions of each module.
public struct BackupCommands: Sendable {
  /// The name of the heartbeat with the time of the last complete backup.
  static let heartbeat = "backup"

  /// The files that rows of any module refer to.
  static let namedFiles =
    AccountsModule.namedFiles + FeedModule.namedFiles + AlbumModule.namedFiles
    + TrainingsModule.namedFiles + MessagesModule.namedFiles + MomentsModule.namedFiles

  private let configuration: Configuration
  private let clock: any Clock
  private let user: uid_t

  /// `clock` is the configured one and `user` the current user, unless a test sets them.
  public init(_ configuration: Configuration, clock: (any Clock)? = nil, user: uid_t = geteuid()) {
    self.configuration = configuration
    self.clock = clock ?? configuration.clock
    self.user = user
  }

  private var places: DataLayout {
    DataLayout(
      configuration.data, server: configuration.database.address,
      sharedSecrets: configuration.ownSecretsFolder)
  }

  /// Makes a backup in a folder, while PairSpot runs or not; with `keep` deletes the backups that
  /// the timer's retention rule doesn't keep. `printLine` prints a line for the operator. Throws
  /// `BackupError` and `StorageError`.
  public func make(in folder: String, keep: Bool, printLine: (String) -> Void) throws {
    guard configuration.database.mayExist else {
      throw BackupError("no database in \(configuration.data)")
    }
    try refuseOtherUser()
    // No restore can run while this reads.
    let lock = try DataLock.open(configuration.data, printLine: printLine)
    defer { withExtendedLifetime(lock) {} }
    let made = try Backups(in: folder).make(
      of: places, migrations: Migrations.all.map(\.name),
      named: configuration.bucket == nil ? Self.namedFiles : [],
      bucket: configuration.bucket?.address, now: clock.now(), keep: keep ? .timer : nil,
      keysFit: Self.checkKeys)
    try note()
    if let bucket = configuration.bucket {
      printLine("media are in \(bucket.address), not in the backup")
    }
    for path in made.missing { printLine("already missing, so not in the backup: media/\(path)") }
    for path in made.leftOut { printLine("skipped, not a regular file: \(path)") }
    for reason in made.undeletable { printLine("interrupted backup not removed: \(reason)") }
    for name in made.removed { printLine("removed: \(name)") }
    for name in made.fromTheFuture { printLine("kept, dated in the future: \(name)") }
    for path in made.faulty { printLine("faulty backup, remove it manually: \(path)") }
    printLine("\(made.folder): \(made.files) files, \(made.size >> 20) MiB")
  }

  /// Records the backup for monitoring. The backup is valid even if this fails.
  private func note() throws {
    do {
      let database = try configuration.database.open()
      try JobStore(database: database).beat(Self.heartbeat, now: clock.now())
    } catch StorageError.busy, StorageError.full {
      return
    }
  }

  /// Verifies a backup, or the last one of a folder, and replaces the data with it. Throws
  /// `BackupError` while PairSpot runs, and for a backup that was changed since it was made.
  public func restore(from path: String, printLine: (String) -> Void) throws {
    try refuseOtherUser()
    try refuseRootInProduction()
    try refuseRunning(for: "restore")
    if let shared = configuration.ownSecretsFolder {
      throw BackupError(
        "unset PAIRSPOT_SECRETS for the restore, and copy \(configuration.data)/secrets to "
          + "\(shared) after it")
    }
    let outcome = try Restore(
      into: places, migrations: Migrations.all, steps: Self.steps(configuration),
      keysFit: Self.checkKeys
    ).run(from: path, now: clock.now())
    for note in outcome.notes { printLine(note) }
    for before in outcome.before { printLine("the previous data is in \(before)") }
    printLine("restored from \(outcome.backup), made \(outcome.madeAt.rfc3339)")
  }

  static func steps(_ configuration: Configuration) -> [RestoreStep] {
    AccountsModule.restoreSteps
      + CheckInModule.restoreSteps(maximumGracePeriod: configuration.maximumGracePeriod)
      + WorkoutsModule.restoreSteps + GroupsModule.restoreSteps + NoticesModule.restoreSteps
      + [MailRestore.step(telling: [CheckInModule.droppedMails]), LiveOutbox.restoreStep]
  }

  /// Checks that the keys open the database: other keys would lock out all users for good.
  @Sendable static func checkKeys(_ places: DataLayout, _ reader: ReadTransaction?) throws {
    do {
      let kept = try KeyRing.load(from: places.secrets)
      guard let reader else { return }
      let keys = try KeyRotation.ring(kept, reader, in: places.secrets)
      try AccountsModule.tryKeys(keys, in: reader)
    } catch let error as SealError {
      throw BackupError("the keys do not match the database: \(error)")
    } catch let error as KeyFileError {
      throw BackupError("the keys cannot be used: \(error)")
    } catch let error as KeyRotation.Refused {
      throw BackupError("the keys do not match the database: \(error)")
    }
  }

  /// Throws while handlers run. `task` is for the message.
  func refuseRunning(for task: String) throws {
    let sockets = (0..<configuration.processes).map(configuration.socketPath)
    guard !sockets.contains(where: ListenerCheck.answers(path:)) else {
      throw BackupError("PairSpot is running on \(configuration.data): stop it before the \(task)")
    }
  }

  /// Files that root creates can't be used by the user that runs PairSpot.
  func refuseOtherUser() throws {
    var status = stat()
    guard user == 0, stat(configuration.data, &status) == 0, status.st_uid != 0 else { return }
    let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
    throw BackupError(
      "\(configuration.data) belongs to \(owner ?? "another user"): run this as that user")
  }

  /// Files that root restores belong to root, which production refuses to run as.
  private func refuseRootInProduction() throws {
    guard user == 0, !configuration.isDevelopment else { return }
    let folder = configuration.data
    throw BackupError(
      "PairSpot cannot open files restored by root: create the folder for the user that runs it "
        + "(install -d -m 700 -o USER \(folder)), and restore as that user (sudo -u USER …)")
  }
}
