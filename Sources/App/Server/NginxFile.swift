import Foundation
import Glibc
import Processes

/// The file from which nginx starts, made so that it does.
struct NginxFile {
  static let name = "nginx.conf"
  /// What has yet to be looked at by nginx.
  private static let newer = "\(name).new"
  /// How long nginx may look at it, in s.
  private static let timeout = 20.0

  let executable: String
  let template: String
  let environment: [String: String]

  /// Writes `nginx.conf` into the run folder, once nginx has taken it; answers what was written.
  /// Where the module for live streams doesn't fit this nginx (one was upgraded without the other) a
  /// site without streams is better than none: `say` is told, and pages ask every now and then.
  /// Throws `Serve.Failure` when nginx refuses it, and the file of before stays; throws
  /// `NginxConfiguration.Failure` and what keeps the file from being written.
  func write(
    _ wanted: NginxConfiguration, say: (String) -> Void
  ) throws -> NginxConfiguration {
    var used = wanted
    try save(used)
    var verdict = look(at: used)
    if let module = used.nchanModule, case .refused(let complaint) = verdict {
      used.nchanModule = nil
      try save(used)
      verdict = look(at: used)
      // It may be for another reason that it is refused.
      if !verdict.isRefusal {
        say("no live streams: nginx doesn't start with \(module) (\(complaint))")
      }
    }
    if case .refused(let complaint) = verdict {
      throw Serve.Failure("nginx doesn't take \(used.runFolder)/\(Self.newer): \(complaint)")
    }
    let (new, old) = ("\(used.runFolder)/\(Self.newer)", "\(used.runFolder)/\(Self.name)")
    guard rename(new, old) == 0 else {
      throw Serve.Failure("\(old): \(String(cString: strerror(errno)))")
    }
    return used
  }

  /// The file as it is; nil where there is none.
  static func content(_ runFolder: String) -> String? {
    try? String(contentsOfFile: "\(runFolder)/\(name)", encoding: .utf8)
  }

  private func save(_ nginx: NginxConfiguration) throws {
    try nginx.render(template: template)
      .write(toFile: "\(nginx.runFolder)/\(Self.newer)", atomically: true, encoding: .utf8)
  }

  /// What nginx says of a file.
  private enum Verdict {
    case taken
    /// In its own words, one line.
    case refused(String)
    /// It can't even be asked, or doesn't answer: that is left to whoever starts it.
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
      let said = String(decoding: result.errors, as: UTF8.self)
      let lines = said.split(whereSeparator: \.isNewline)
      // Warnings may stand before it.
      let line = lines.first { $0.contains("[emerg]") } ?? lines.first
      return .refused(line.map(String.init) ?? "it ends with \(result.status)")
    } catch {
      return .silent
    }
  }
}
