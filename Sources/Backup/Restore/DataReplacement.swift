import Foundation
import Glibc
import Secrets

/// Puts what was restored in the place of what was there, which is kept aside.
///
/// Several names change, so a note says first what is to be done: it is the moment of decision.
/// Killed before it, the old data stand untouched; after it, the next who opens the folder goes on
/// where this ended, as often as it takes.
enum DataReplacement {
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

  /// What a restore left that never came to its decision: the folders, with keys in them.
  static func undecided(_ folder: String) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.filter { entry in
      entry.hasSuffix(newEnding) && BackupName(String(entry.dropLast(newEnding.count))) != nil
    }.sorted().map { "\(folder)/\($0)" }
  }

  /// Removes that.
  static func removeUndecided(_ folder: String) throws {
    for path in undecided(folder) { try PlainFile.removeFolder(path) }
  }

  /// Decides: from now on the new data count. `name` is the moment of the restore.
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

  /// Does what was decided, from wherever it was left; answers where lies what was there before,
  /// nil when nothing was decided. Throws `BackupError`; called again it goes on.
  ///
  /// Somebody may have made folders or a database meanwhile: whatever stands where the restored
  /// belongs is put aside too, under a further name.
  static func finish(_ folder: String) throws -> [String]? {
    guard isDecided(folder) else { return nil }
    let bytes = try PlainFile.read("\(folder)/\(note)", most: 1 << 16)
    guard let content = try? JSONDecoder().decode(Note.self, from: Data(bytes)),
      ![content.new, content.before].contains(where: { $0.isEmpty || $0.contains("/") })
    else { throw BackupError("\(folder)/\(note) is damaged: ask who restored") }
    let new = "\(folder)/\(content.new)"
    let directory = RetiredDirectory(first: "\(folder)/\(content.before)")
    // What is no longer among the new is in its place already, and to be left there.
    if PlainFile.exists("\(new)/\(DataLayout.databaseName)") {
      try directory.putDatabaseAside(folder)
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
      ? "the restored data are in place; there were none before"
      : "the restored data are in place; what was there before is in "
        + before.joined(separator: " and ")
  }
}

/// Where goes what stands in the way: a folder, and further ones beside it ("…-2") for what has a
/// namesake in the ones before.
private struct RetiredDirectory {
  private static let database = [DataLayout.databaseName] + DataLayout.besideDatabase

  let first: String

  /// Those that are there, in their order.
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

  /// The database with what SQLite keeps beside it, which must stay with the one that it belongs
  /// to: another's log would be played into it.
  func putDatabaseAside(_ folder: String) throws {
    let there = Self.database.filter { PlainFile.exists("\(folder)/\($0)") }
    guard let name = there.first else { return }
    // Without the file itself this is the rest of what was being put aside.
    let last = name == DataLayout.databaseName ? nil : folders.last { has([Self.database[0]], $0) }
    let target = try last.flatMap { has(there, $0) ? nil : $0 } ?? free(for: Self.database)
    for item in there { try put(item, of: folder, into: target) }
  }

  func put(_ item: String, of folder: String, into target: String) throws {
    try PlainFile.move("\(folder)/\(item)", to: "\(target)/\(item)")
    try PlainFile.keepNames(in: target)
  }

  /// Makes, if need be, the first folder that has none of these names.
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
