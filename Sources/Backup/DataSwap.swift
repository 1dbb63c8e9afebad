import Foundation
import Glibc
import Secrets

/// Puts what was restored in the place of what was there, which is kept aside.
///
/// Several names change, so a note says first what is to be done: it is the moment of decision.
/// Killed before it, the old data stand untouched; after it, the next who opens the folder goes on
/// where this ended, as often as it takes.
enum DataSwap {
  static let note = "restoring.json"
  /// What is being restored, until it is whole; then what was there before.
  static let newEnding = ".restored"
  static let beforePrefix = "before-restore-"

  private struct Note: Codable {
    let new: String
    let before: String
  }

  static func newFolder(_ folder: String, _ name: BackupName) -> String {
    "\(folder)/\(name.text)\(newEnding)"
  }

  static func beforeFolder(_ folder: String, _ name: BackupName) -> String {
    "\(folder)/\(beforePrefix)\(name.text)"
  }

  static func isDecided(_ folder: String) -> Bool { PlainFile.exists("\(folder)/\(note)") }

  /// Removes what a restore left that never came to its decision.
  static func removeUndecided(_ folder: String) throws {
    for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard entry.hasSuffix(newEnding), BackupName(String(entry.dropLast(newEnding.count))) != nil
      else { continue }
      try PlainFile.removeFolder("\(folder)/\(entry)")
    }
  }

  /// Decides: from now on the new data count. `name` is the moment of the restore.
  static func decide(_ folder: String, _ name: BackupName) throws {
    let content = Note(
      new: "\(name.text)\(newEnding)", before: "\(beforePrefix)\(name.text)")
    do {
      try SecretFiles.replace(
        Array(try JSONEncoder().encode(content)), name: note, in: folder)
    } catch let error as KeyFileError {
      throw BackupProblem("\(error)")
    }
  }

  /// Does what was decided, from wherever it was left; answers where lies what was there before,
  /// nil when nothing was decided. Throws `BackupProblem`; called again it goes on.
  static func finish(_ folder: String) throws -> String? {
    guard isDecided(folder) else { return nil }
    let bytes = try PlainFile.read("\(folder)/\(note)", most: 1 << 16)
    guard let content = try? JSONDecoder().decode(Note.self, from: Data(bytes)),
      ![content.new, content.before].contains(where: { $0.isEmpty || $0.contains("/") })
    else { throw BackupProblem("\(folder)/\(note) is damaged: ask who restored") }
    let (new, before) = ("\(folder)/\(content.new)", "\(folder)/\(content.before)")
    try PlainFile.makeFolder(before)
    for item in DataPlaces.besideDatabase {
      try move("\(folder)/\(item)", to: "\(before)/\(item)")
    }
    for item in [DataPlaces.databaseName, DataPlaces.mediaName, DataPlaces.secretsName]
    where PlainFile.exists("\(new)/\(item)") {
      try move("\(folder)/\(item)", to: "\(before)/\(item)")
      try PlainFile.keepNames(in: before)
      try move("\(new)/\(item)", to: "\(folder)/\(item)")
      guard !PlainFile.exists("\(new)/\(item)") else {
        throw BackupProblem("\(folder)/\(item) can't be put aside: \(before) has one already")
      }
    }
    for place in [folder, before] { try PlainFile.keepNames(in: place) }
    guard unlink("\(folder)/\(note)") == 0 else { throw BackupProblem.system("\(folder)/\(note)") }
    try PlainFile.keepNames(in: folder)
    try PlainFile.removeFolder(new)
    // Fails where something was there before, which is kept.
    rmdir(before)
    return before
  }

  static func finished(_ before: String) -> String {
    PlainFile.exists(before)
      ? "the restored data are in place; what was there before is in \(before)"
      : "the restored data are in place; there were none before"
  }

  /// Moves one name, unless that was done already.
  private static func move(_ old: String, to new: String) throws {
    guard PlainFile.exists(old), !PlainFile.exists(new) else { return }
    guard rename(old, new) == 0 else { throw BackupProblem.system(old) }
  }
}
