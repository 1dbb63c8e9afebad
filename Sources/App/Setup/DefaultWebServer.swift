import Foundation
import Processes

/// Debian's nginx service, which starts when nginx is installed and shows its default page on
/// port 80.
struct DefaultWebServer {
  private static let folder = "/etc/nginx"

  let environment: [String: String]

  /// Whether the service runs.
  func isActive() throws -> Bool {
    try status("/usr/bin/systemctl", ["is-active", "--quiet", "nginx.service"]) == 0
  }

  /// Whether it shows nothing but Debian's default page, as it was installed.
  func isUnchanged() throws -> Bool {
    let files = FileManager.default
    let sites = (try? files.contentsOfDirectory(atPath: "\(Self.folder)/sites-enabled")) ?? []
    let more = (try? files.contentsOfDirectory(atPath: "\(Self.folder)/conf.d")) ?? []
    guard sites.allSatisfy({ $0 == "default" }), more.isEmpty else { return false }
    // Prints the configuration files that have been changed.
    let changes = try ChildProcess.run(
      "/usr/bin/dpkg", ["--verify", "nginx-common"], environment: environment, timeout: 60)
    return !String(decoding: changes.output, as: UTF8.self).contains("\(Self.folder)/")
  }

  /// Stops the service for good. Returns whether that worked.
  func disable() throws -> Bool {
    try status("/usr/bin/systemctl", ["--quiet", "disable", "--now", "nginx.service"]) == 0
  }

  private func status(_ program: String, _ arguments: [String]) throws -> Int32 {
    try ChildProcess.runAttached(program, arguments, environment: environment)
  }
}
