import Foundation
import Glibc

/// A folder of backups.
struct BackupDirectory {
  /// A whole backup whose manifest can be read.
  struct Item {
    let name: BackupName
    let manifest: Manifest
  }

  let folder: String

  /// The whole ones, in the order in which they were made, whatever the clock said then: folders of
  /// our name with our manifest, and nothing else. What can't be read is left to a person.
  func items() -> [Item] {
    let found = names().compactMap { name in
      (try? Manifest.read(in: path(of: name))).map { Item(name: name, manifest: $0) }
    }
    return found.sorted {
      ($0.manifest.number ?? 0, $0.name) < ($1.manifest.number ?? 0, $1.name)
    }
  }

  /// The names of whole ones, by what the clock said.
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

  /// Whether a backup was begun here and not finished.
  var hasUnfinished: Bool { !folders(BackupName.unfinished).isEmpty }

  /// The folders of backups that were made of data with faults.
  var faulty: [String] { folders(BackupName.faulty) }

  private func folders(_ ending: String) -> [String] {
    names(ending).map { path(of: $0) + ending }
  }

  /// What there is of folders with our name and an ending, by what the clock said.
  private func names(_ ending: String) -> [BackupName] {
    entries().filter { $0.hasSuffix(ending) }
      .compactMap { BackupName(String($0.dropLast(ending.count))) }
      .filter { PlainFile.isFolder(path(of: $0) + ending) }.sorted()
  }

  /// Removes what was interrupted, being made or being removed; answers what couldn't be, with the
  /// reason: that keeps no other backup from being made.
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

  /// The same for those of data with faults once `made` was made, which the rule keeps by themselves:
  /// good ones never go for them. Answers as `removeInterrupted`.
  func tidyFaulty(_ rule: RetentionPolicy, after made: BackupName) -> [String] {
    remove(
      rule.leaving(names(BackupName.faulty), after: made).map {
        path(of: $0) + BackupName.faulty
      })
  }

  /// Removes what a rule doesn't keep once `made` was made; answers the names that went. A folder of
  /// our name that is no backup stays. Throws `BackupError`.
  func tidy(_ rule: RetentionPolicy, after made: BackupName) throws -> [BackupName] {
    let leaving = rule.leaving(items().map(\.name), after: made)
    for name in leaving {
      // Under another name first: half of one is never taken for a backup.
      let aside = path(of: name) + BackupName.leaving
      guard rename(path(of: name), aside) == 0 else { throw BackupError.system(aside) }
      try PlainFile.keepNames(in: folder)
      try PlainFile.removeFolder(aside)
    }
    return leaving
  }
}
