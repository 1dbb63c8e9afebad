import Foundation
import Processes

/// The file from which nginx starts, made so that it does.
struct NginxFile {
  /// How long nginx may look at it, in s.
  private static let patience = 20.0

  let executable: String
  let template: String
  let environment: [String: String]

  /// Writes `nginx.conf` into the run folder; answers what was written. Where the module for live
  /// streams doesn't fit this nginx (one was upgraded without the other) a site without streams is
  /// better than none: `say` is told, and pages ask every now and then. Throws
  /// `NginxConfiguration.Failure` and what keeps the file from being written.
  func write(
    _ wanted: NginxConfiguration, say: (String) -> Void
  ) throws -> NginxConfiguration {
    try save(wanted)
    guard let module = wanted.nchanModule, let complaint = complaint(about: wanted) else {
      return wanted
    }
    say("no live streams: nginx doesn't start with \(module) (\(complaint))")
    var without = wanted
    without.nchanModule = nil
    try save(without)
    return without
  }

  /// The file as it is; nil where there is none.
  static func content(_ runFolder: String) -> String? {
    try? String(contentsOfFile: "\(runFolder)/nginx.conf", encoding: .utf8)
  }

  private func save(_ nginx: NginxConfiguration) throws {
    try nginx.render(template: template)
      .write(toFile: "\(nginx.runFolder)/nginx.conf", atomically: true, encoding: .utf8)
  }

  /// What nginx says against the file, in one line; nil when it takes it. A nginx that can't even be
  /// asked is left to whoever starts it.
  private func complaint(about nginx: NginxConfiguration) -> String? {
    let result = try? ChildProcess.run(
      executable, ["-t", "-q"] + nginx.arguments, environment: environment,
      timeout: Self.patience)
    guard let result, result.timedOut || result.status != 0 else { return nil }
    let said = String(decoding: result.errors, as: UTF8.self)
    let line = said.split(whereSeparator: \.isNewline).first.map(String.init)
    return line ?? "it ends with \(result.status)"
  }
}
