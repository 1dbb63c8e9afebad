import Foundation
import Glibc
import Secrets

/// Replaces the old data with the restored ones and keeps the old ones.
///
/// This takes several renames, so a note first records the decision. If the process is killed
/// before that, the old data are unchanged; after that, the next process that opens the folder
/// continues, as often as necessary.
enum DataReplacement {
  static let note = "restoring.json"
  /// The suffix of the data being restored, until they are complete.
  static let newEnding = ".restored"
  static let beforePrefix = "before-restore-"

  private struct Note: Codable {
    let new: String
    let before: String
  }

  static func newFolder(_ folder: String, _ name: BackupName) -> String {
    "\(folder)/\(name.text)\(newEnding)"
  }

  static func retiredFolder(_ folder: String, _ name: BackupName) -> String {
    "\(folder)/\(beforePrefix)\(name.text)"
  }

  static func isDecided(_ folder: String) -> Bool { PlainFile.exists("\(folder)/\(note)") }

  /// The folders of restores that were interrupted before their decision, which contain keys.
  static func undecided(_ folder: String) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.filter { entry in
      entry.hasSuffix(newEnding) && BackupName(String(entry.dropLast(newEnding.count))) != nil
    }.sorted().map { "\(folder)/\($0)" }
  }

  /// Deletes those folders.
  static func removeUndecided(_ folder: String) throws {
    for path in undecided(folder) { try PlainFile.removeFolder(path) }
  }

  /// Records the decision: from now on the new data are valid. `name` is the time of the restore.
  static func decide(_ folder: String, _ name: BackupName) throws {
    let content = Note(
      new: "\(name.text)\(newEnding)", before: "\(beforePrefix)\(name.text)")
    do {
      try SecretFiles.replace(
        Array(try JSONEncoder().encode(content)), name: note, in: folder)
    } catch let error as KeyFileError {
      throw BackupError("\(error)")
    }
  }

  /// Executes the decision from any intermediate state; returns the folders of the old data, nil if
  /// nothing was decided. Throws `BackupError`; a repeated call continues.
  ///
  /// Folders or a database may have been created in the meantime: anything at the place of the
  /// restored data is moved away too, under a further name.
  static func finish(_ folder: String) throws -> [String]? {
    guard isDecided(folder) else { return nil }
    let bytes = try PlainFile.read("\(folder)/\(note)", maximumBytes: 1 << 16)
    guard let content = try? JSONDecoder().decode(Note.self, from: Data(bytes)),
      ![content.new, content.before].contains(where: { $0.isEmpty || $0.contains("/") })
    else { throw BackupError("\(folder)/\(note) is damaged: ask the person who ran the restore") }
    let new = "\(folder)/\(content.new)"
    let directory = RetiredDirectory(first: "\(folder)/\(content.before)")
    // A part that is no longer among the new data is in its place already, and is left there.
    if PlainFile.exists("\(new)/\(DataLayout.databaseName)") {
      try directory.moveDatabaseAside(folder)
    }
    for item in [DataLayout.databaseName, DataLayout.mediaName, DataLayout.secretsName]
    where PlainFile.exists("\(new)/\(item)") {
      if PlainFile.exists("\(folder)/\(item)") {
        try directory.put(item, of: folder, into: try directory.free(for: [item]))
      }
      try PlainFile.move("\(new)/\(item)", to: "\(folder)/\(item)")
    }
    try PlainFile.keepNames(in: folder)
    guard unlink("\(folder)/\(note)") == 0 else { throw BackupError.system("\(folder)/\(note)") }
    try PlainFile.keepNames(in: folder)
    try PlainFile.removeFolder(new)
    return directory.folders
  }

  static func finished(_ before: [String]) -> String {
    before.isEmpty
      ? "the restored data is in place; there was no previous data"
      : "the restored data is in place; the previous data is in "
        + before.joined(separator: " and ")
  }
}

/// The folder for the old data, and further ones beside it ("…-2") for names that exist in the
/// earlier ones.
private struct RetiredDirectory {
  private static let database = [DataLayout.databaseName] + DataLayout.besideDatabase

  let first: String

  /// The existing folders, in order.
  var folders: [String] {
    var found: [String] = []
    for path in candidates {
      guard PlainFile.exists(path) else { break }
      if PlainFile.isFolder(path) { found.append(path) }
    }
    return found
  }

  private var candidates: some Sequence<String> {
    (1...).lazy.map { $0 == 1 ? first : "\(first)-\($0)" }
  }

  /// Moves the database away with SQLite's additional files, which must stay with their database:
  /// SQLite would replay the log of another one into it.
  func moveDatabaseAside(_ folder: String) throws {
    let there = Self.database.filter { PlainFile.exists("\(folder)/\($0)") }
    guard let name = there.first else { return }
    // Without the main file these are the remains of an interrupted move.
    let last = name == DataLayout.databaseName ? nil : folders.last { has([Self.database[0]], $0) }
    let target = try last.flatMap { has(there, $0) ? nil : $0 } ?? free(for: Self.database)
    for item in there { try put(item, of: folder, into: target) }
  }

  func put(_ item: String, of folder: String, into target: String) throws {
    try PlainFile.move("\(folder)/\(item)", to: "\(target)/\(item)")
    try PlainFile.keepNames(in: target)
  }

  /// The first folder that has none of these names; created if necessary.
  func free(for items: [String]) throws -> String {
    for path in candidates {
      if PlainFile.exists(path) && !PlainFile.isFolder(path) { continue }
      if has(items, path) { continue }
      try PlainFile.makeFolder(path)
      return path
    }
    return first
  }

  private func has(_ items: [String], _ path: String) -> Bool {
    items.contains { PlainFile.exists("\(path)/\($0)") }
  }
}
