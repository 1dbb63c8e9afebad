import Foundation
import Glibc
import Processes
import Secrets

/// Writes nginx.conf and verifies it with `nginx -t`.
struct NginxFile {
  static let name = "nginx.conf"
  /// The file that nginx has not verified yet.
  private static let newer = "\(name).new"
  /// How long nginx may take to verify it, in s.
  private static let timeout = 20.0

  let executable: String
  let template: String
  let environment: [String: String]

  /// Writes `nginx.conf` into the run folder, once nginx has accepted it; returns the configuration
  /// that was written. If the module for live streams doesn't fit this nginx (one was upgraded
  /// without the other), the streams are left out and pages poll; `printLine` reports that. Throws
  /// `Serve.Failure` if nginx rejects the file, and the previous file stays; throws
  /// `NginxConfiguration.Failure` and file errors.
  func write(
    _ wanted: NginxConfiguration, printLine: (String) -> Void
  ) throws -> NginxConfiguration {
    var used = wanted
    try save(used)
    var verdict = look(at: used)
    if let module = used.nchanModule, case .refused(let errorMessage) = verdict {
      used.nchanModule = nil
      try save(used)
      verdict = look(at: used)
      // The module may not be the cause of the rejection.
      if !verdict.isRefusal {
        printLine("live streams are off: nginx does not start with \(module) (\(errorMessage))")
      }
    }
    if case .refused(let errorMessage) = verdict {
      throw Serve.Failure("nginx rejects \(used.runFolder)/\(Self.newer): \(errorMessage)")
    }
    let (new, old) = ("\(used.runFolder)/\(Self.newer)", "\(used.runFolder)/\(Self.name)")
    guard rename(new, old) == 0 else {
      throw Serve.Failure("\(old): \(String(cString: strerror(errno)))")
    }
    return used
  }

  /// The current file; nil if there is none.
  static func content(_ runFolder: String) -> String? {
    try? String(contentsOfFile: "\(runFolder)/\(name)", encoding: .utf8)
  }

  /// The file may hold the password of Redis, so only its owner may read it.
  private func save(_ nginx: NginxConfiguration) throws {
    try SecretFiles.replace(
      Array(nginx.render(template: template).utf8), name: Self.newer, in: nginx.runFolder)
  }

  /// nginx's verdict on a file.
  private enum Verdict {
    case taken
    /// nginx's own message, one line.
    case refused(String)
    /// nginx can't be run, or doesn't answer: the caller that starts it will report that.
    case silent

    var isRefusal: Bool { if case .refused = self { true } else { false } }
  }

  private func look(at nginx: NginxConfiguration) -> Verdict {
    let arguments = NginxConfiguration.arguments(
      runFolder: nginx.runFolder, file: Self.newer)
    do {
      let result = try ChildProcess.run(
        executable, ["-t", "-q"] + arguments, environment: environment, timeout: Self.timeout)
      if result.timedOut { return .silent }
      if result.status == 0 { return .taken }
      let message = String(decoding: result.errors, as: UTF8.self)
      let lines = message.split(whereSeparator: \.isNewline)
      // Warnings may precede it.
      let line = lines.first { $0.contains("[emerg]") } ?? lines.first
      return .refused(line.map(String.init) ?? "exited with status \(result.status)")
    } catch {
      return .silent
    }
  }
}
