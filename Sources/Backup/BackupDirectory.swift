import Foundation
import Glibc

/// A folder of backups.
struct BackupDirectory {
  /// A complete backup with a readable manifest.
  struct Item {
    let name: BackupName
    let manifest: Manifest
  }

  let folder: String

  /// The complete backups in the order in which they were made, independently of the clock: folders
  /// with a backup's name and manifest. Unreadable ones are left to the operator.
  func items() -> [Item] {
    let found = names().compactMap { name in
      (try? Manifest.read(in: path(of: name))).map { Item(name: name, manifest: $0) }
    }
    return found.sorted {
      ($0.manifest.number ?? 0, $0.name) < ($1.manifest.number ?? 0, $1.name)
    }
  }

  /// The names of complete backups, ordered by their times.
  func names() -> [BackupName] {
    entries().compactMap { BackupName($0) }.filter(isOurs).sorted()
  }

  func path(of name: BackupName) -> String { "\(folder)/\(name.text)" }

  private func isOurs(_ name: BackupName) -> Bool {
    PlainFile.isFolder(path(of: name))
      && PlainFile.status("\(path(of: name))/\(Manifest.name)") != nil
  }

  private func entries() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Whether an unfinished backup is here.
  var hasUnfinished: Bool { !folders(BackupName.unfinished).isEmpty }

  /// The folders of backups that were made of faulty data.
  var faulty: [String] { folders(BackupName.faulty) }

  private func folders(_ ending: String) -> [String] {
    names(ending).map { path(of: $0) + ending }
  }

  /// The folders with a backup's name and this suffix, ordered by their times.
  private func names(_ ending: String) -> [BackupName] {
    entries().filter { $0.hasSuffix(ending) }
      .compactMap { BackupName(String($0.dropLast(ending.count))) }
      .filter { PlainFile.isFolder(path(of: $0) + ending) }.sorted()
  }

  /// Deletes the remains of interrupted creations and deletions; returns those that couldn't be
  /// deleted, with the reason: they don't prevent new backups.
  func removeInterrupted() -> [String] {
    remove(folders(BackupName.unfinished) + folders(BackupName.leaving))
  }

  private func remove(_ folders: [String]) -> [String] {
    folders.compactMap { path in
      do {
        try PlainFile.removeFolder(path)
        return nil
      } catch {
        return "\(error)"
      }
    }
  }

  /// Applies the rule to backups of faulty data after `made` was made, separately from good ones,
  /// which never give way to them. Returns failures like `removeInterrupted`.
  func pruneFaulty(_ rule: RetentionPolicy, after made: BackupName) -> [String] {
    remove(
      rule.leaving(names(BackupName.faulty), after: made).map {
        path(of: $0) + BackupName.faulty
      })
  }

  /// Deletes the backups that a rule doesn't keep after `made` was made; returns their names. A
  /// folder with a backup's name that is not a backup stays. Throws `BackupError`.
  func prune(_ rule: RetentionPolicy, after made: BackupName) throws -> [BackupName] {
    let leaving = rule.leaving(items().map(\.name), after: made)
    for name in leaving {
      // Renamed first, so that a half-deleted one is never taken for a backup.
      let aside = path(of: name) + BackupName.leaving
      guard rename(path(of: name), aside) == 0 else { throw BackupError.system(aside) }
      try PlainFile.keepNames(in: folder)
      try PlainFile.removeFolder(aside)
    }
    return leaving
  }
}
