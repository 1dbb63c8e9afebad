import Foundation

/// The text of `pairspot --version`.
enum Version {
  /// The version of this program, as in CHANGELOG.md.
  static let number = "0.1.0-dev"

  /// The number, and the commit that `deploy/scripts/build.sh` notes beside the program.
  static var line: String {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let commit = program.flatMap { try? String(contentsOfFile: "\($0).commit", encoding: .utf8) }
    guard let commit = commit?.split(separator: "\n").first else { return number }
    return "\(number) (\(commit))"
  }
}
