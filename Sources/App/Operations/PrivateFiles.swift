import Foundation
import Glibc

/// Checks that the data folder and its entries are accessible to their owner alone. Files are
/// created so (`umask` of every command); a folder that existed before may be open.
///
/// Deeper files are protected by a folder that is checked here; keys have a check of their own
/// (`SecretsDoctor`).
struct PrivateFiles {
  static let name = "the data folder is accessible only to its owner"

  private let data: String
  private let secrets: String

  init(_ configuration: Configuration) {
    data = configuration.data
    secrets = configuration.secretsFolder
  }

  /// A line for each path that other users may read or write; empty if all is well.
  func find() -> [String] { open.map { "\($0) is accessible to other users" } }

  /// Closes the paths to other users and returns them. Throws if the process lacks the permission.
  @discardableResult
  func close() throws -> [String] {
    let open = open
    for path in open {
      var status = stat()
      guard stat(path, &status) == 0, chmod(path, status.st_mode & 0o700) == 0 else {
        throw Serve.Failure(
          "cannot remove access of other users to \(path): \(String(cString: strerror(errno)))"
        )
      }
    }
    return open
  }

  private var open: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
    return ([data] + names.sorted().map { "\(data)/\($0)" }).filter {
      var status = stat()
      return $0 != secrets && lstat($0, &status) == 0 && status.st_mode & S_IFMT != S_IFLNK
        && status.st_mode & 0o077 != 0
    }
  }
}
