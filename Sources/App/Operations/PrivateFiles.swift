import Foundation
import Glibc

/// Whether the data folder, and what lies in it, is for its owner alone. Files are made so
/// (`umask` of every command); a folder that was there before may be open.
///
/// What lies deeper is behind a folder that is looked at here; keys have a check of their own
/// (`SecretsDoctor`).
struct PrivateFiles {
  static let name = "the data folder is for its owner alone"

  private let data: String
  private let secrets: String

  init(_ configuration: Configuration) {
    data = configuration.data
    secrets = configuration.secretsFolder
  }

  /// A line for each path that others may read or write; empty when all is well.
  func find() -> [String] { open.map { "\($0) is open to others" } }

  /// Closes them to others and answers which they were. Throws where that isn't ours to do.
  @discardableResult
  func close() throws -> [String] {
    let open = open
    for path in open {
      var status = stat()
      guard stat(path, &status) == 0, chmod(path, status.st_mode & 0o700) == 0 else {
        throw Serve.Failure(
          "\(path) is open to others and can't be closed: \(String(cString: strerror(errno)))")
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
