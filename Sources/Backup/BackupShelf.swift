import Foundation
import Glibc

/// A folder of backups.
struct BackupShelf {
  let folder: String

  /// The whole ones, oldest first: folders of our name with our manifest, and nothing else.
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
  var hasUnfinished: Bool { entries().contains { Self.base($0, BackupName.unfinished) != nil } }

  /// Removes what was interrupted, being made or being removed; answers what couldn't be, with the
  /// reason: that keeps no other backup from being made.
  func removeInterrupted() -> [String] {
    entries().sorted().compactMap { entry in
      let left = Self.base(entry, BackupName.unfinished) ?? Self.base(entry, BackupName.leaving)
      guard left != nil, PlainFile.isFolder("\(folder)/\(entry)") else { return nil }
      do {
        try PlainFile.removeFolder("\(folder)/\(entry)")
        return nil
      } catch {
        return "\(error)"
      }
    }
  }

  /// Removes what a rule doesn't keep; answers the names that went. A folder of our name that is no
  /// backup stays. Throws `BackupProblem`.
  func tidy(_ rule: KeepRule) throws -> [BackupName] {
    // Read by their manifests: what can't be read is left to a person.
    let leaving = rule.leaving(
      names().filter { (try? Manifest.read(in: path(of: $0))) != nil })
    for name in leaving {
      // Under another name first: half of one is never taken for a backup.
      let aside = path(of: name) + BackupName.leaving
      guard rename(path(of: name), aside) == 0 else { throw BackupProblem.system(aside) }
      try PlainFile.keepNames(in: folder)
      try PlainFile.removeFolder(aside)
    }
    return leaving
  }

  private static func base(_ entry: String, _ ending: String) -> BackupName? {
    guard entry.hasSuffix(ending) else { return nil }
    return BackupName(String(entry.dropLast(ending.count)))
  }
}
