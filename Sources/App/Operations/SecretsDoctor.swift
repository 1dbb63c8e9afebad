import Foundation
import Glibc

/// Checks that secrets are accessible to their owner alone. It runs before an instance is opened:
/// none opens with keys that other users may read.
struct SecretsDoctor {
  static let name = "secrets are accessible only to their owner"

  let folder: String

  /// The paths that other users may read or write: the folder, or files in it.
  private var open: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return ([folder] + names.sorted().map { "\(folder)/\($0)" }).filter {
      var status = stat()
      return stat($0, &status) == 0 && status.st_mode & 0o077 != 0
    }
  }

  /// A line for each; empty if all is well.
  func find() -> [String] { open.map { "\($0) is accessible to other users" } }

  /// Closes them to other users.
  func repair() {
    for path in open { chmod(path, path == folder ? 0o700 : 0o600) }
  }
}
