import Core
import FastCGI
import Foundation
import Processes

/// The programs that `pairspot serve` keeps running.
struct ServedPrograms {
  let configuration: Configuration
  /// The absolute path of this very program.
  let program: String
  /// The descriptor for nginx's output.
  let nginxOutput: Int32

  /// Handlers and worker first: nginx waits for the handlers, so that no request gets a 502 at the
  /// start.
  func stages() throws -> [[SupervisedProgram]] { [handlers + [worker], [try nginx()]] }

  private var handlers: [SupervisedProgram] {
    (0..<configuration.processes).map { number in
      let arguments = ["handlers", "--number", "\(number)"]
      let socket = configuration.socketPath(number)
      return SupervisedProgram(
        name: "handlers-\(number)", executable: program, arguments: arguments,
        environment: Self.environment(configuration), logFile: configuration.logFile("handlers"),
        renewal: .beside(arguments: arguments + ["--take-over"]) {
          FastCGIServer.owner(of: socket) == $0
        }, finishing: Double(Timeouts.handlers))
    }
  }

  private var worker: SupervisedProgram {
    SupervisedProgram(
      name: "worker", executable: program, arguments: ["worker"],
      environment: Self.environment(configuration), logFile: configuration.logFile("worker"),
      finishing: Double(Timeouts.worker))
  }

  private func nginx() throws -> SupervisedProgram {
    SupervisedProgram(
      name: "nginx", executable: try Self.nginxExecutable(),
      arguments: NginxConfiguration.arguments(runFolder: configuration.runFolder),
      environment: Self.environment(configuration), output: nginxOutput, stop: .quit,
      orphaned: .terminate, renewal: .keep, cleanup: [configuration.liveSocketPath],
      keepsCapabilities: true)
  }

  static func nginxExecutable() throws -> String {
    let executable = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let executable else { throw Serve.Failure("nginx is not installed") }
    return executable
  }

  /// The environment of all programs, also when they are restarted: the same clock.
  static func environment(_ configuration: Configuration) -> [String: String] {
    var environment = configuration.variables
    environment["PAIRSPOT_NOW"] = nil
    environment["PAIRSPOT_DEMO"] = nil
    if configuration.clockOffset != 0 {
      environment["PAIRSPOT_CLOCK_OFFSET"] = String(configuration.clockOffset)
    }
    environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
    return environment
  }
}

extension Configuration {
  /// The file of a program's output; nil for that of this process.
  func logFile(_ name: String) -> String? {
    isDevelopment ? "\(logFolder)/\(name).log" : nil
  }
}
