import Foundation
import Glibc

/// Whether secrets are for their owner alone. Looked at before a house is opened: none opens with keys
/// that others may read.
struct SecretsDoctor {
  static let name = "secrets are for their owner alone"

  let folder: String

  /// What others may read or write: the folder, or a file in it.
  private var open: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return ([folder] + names.sorted().map { "\(folder)/\($0)" }).filter {
      var status = stat()
      return stat($0, &status) == 0 && status.st_mode & 0o077 != 0
    }
  }

  /// A line for each; empty when all is well.
  func find() -> [String] { open.map { "\($0) is open to others" } }

  /// Closes them to others.
  func repair() {
    for path in open { chmod(path, path == folder ? 0o700 : 0o600) }
  }
}
