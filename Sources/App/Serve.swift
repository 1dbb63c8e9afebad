import Basics
import FastCGI
import Foundation
import Glibc
import Processes
import Templates

/// `pairspot serve`: nginx, handlers and worker, started in their order and kept running.
public struct Serve {
  /// What keeps an instance from starting, in one line.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  private let configuration: Configuration
  private let program: String

  /// `program` is the absolute path of this very program.
  public init(_ configuration: Configuration, program: String) {
    self.configuration = configuration
    self.program = program
  }

  /// Prepares the instance and runs it until it is asked to stop. `say` prints a line for the
  /// person at the terminal. Throws `Failure` and what keeps the house from opening.
  public func run(say: @escaping @Sendable (String) -> Void) throws {
    let isRoot = geteuid() == 0
    if isRoot && !configuration.isDevelopment {
      throw Failure("refusing to run as root in production")
    }
    guard PortCheck.isFree(configuration.port) else {
      throw Failure("port \(configuration.port) is taken; choose another with PORT=")
    }
    let house = try House(configuration)
    UploadSweep.run(configuration.uploadFolder)
    if configuration.hasDemo { try DemoWorld(house).fill(say: say) }
    let nginx = try prepare(house, say: say)
    let greeting =
      "PairSpot is at \(configuration.baseURL)"
      + (configuration.isDevelopment ? ", its mail at \(configuration.baseURL)/dev/mail" : "")
    let seat = try ServeSeat(configuration)
    let upgrading = Upgrading(program: program, environment: environment, seat: seat, say: say)
    let supervisor = try Supervisor(
      stages: [handlers + [worker], [nginx]], isReady: listeners().isReady
    ) { event in
      switch event {
      case .ready: say(greeting)
      case .notReady(let names): say("\(names.joined(separator: ", ")): no answer yet")
      case .died(let name, let status, _): say("\(name) ended (\(status)); starting it again")
      case .cannotStart(let name, let reason): say("\(name) can't start: \(reason)")
      case .lookAsked: upgrading.begin()
      case .renewed: upgrading.end(nil)
      case .notRenewed(let name, let reason): upgrading.end("\(name): \(reason)")
      default: break
      }
    }
    upgrading.supervisor = supervisor
    supervisor.run()
  }

  /// What an upgrade does with the newer program before anything runs: migrates, checks the
  /// templates, writes nginx's files. Throws what would keep it from starting.
  public func prepare(say: (String) -> Void) throws {
    let before = NginxFile.content(configuration.runFolder)
    _ = try prepare(House(configuration), say: say)
    // nginx's module for live streams doesn't survive that nginx reads its files anew (nchan 1.3.6:
    // a worker that ends aborts, and cuts off whom it was answering).
    if NginxFile.content(configuration.runFolder) != before {
      say("nginx's own configuration changed: it counts once `serve` is started anew")
    }
  }

  /// Opening a house migrated, made secrets and showed a broken template.
  private func prepare(_ house: House, say: (String) -> Void) throws -> SupervisedProgram {
    try ErrorFiles(house).write()
    try AssetCopies(house).write()
    return try writeNginx(house, isRoot: geteuid() == 0, say: say)
  }

  /// nginx waits for the handlers, so that nobody meets a 502 in the first moment.
  private func listeners() -> Listeners {
    Listeners(
      sockets: (0..<configuration.processes).map(configuration.socketPath),
      port: configuration.port)
  }

  private var environment: [String: String] {
    var environment = configuration.variables
    environment["PAIRSPOT_NOW"] = nil
    environment["PAIRSPOT_DEMO"] = nil
    if configuration.clockOffset != 0 {
      environment["PAIRSPOT_CLOCK_OFFSET"] = String(configuration.clockOffset)
    }
    environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
    return environment
  }

  private func log(_ name: String) -> String? {
    configuration.isDevelopment ? "\(configuration.logFolder)/\(name).log" : nil
  }

  private var handlers: [SupervisedProgram] {
    (0..<configuration.processes).map { number in
      let arguments = ["handlers", "--number", "\(number)"]
      let socket = configuration.socketPath(number)
      return SupervisedProgram(
        name: "handlers-\(number)", executable: program, arguments: arguments,
        environment: environment, logFile: log("handlers"),
        renewal: .beside(arguments: arguments + ["--take-over"]) {
          FastCGIServer.owner(of: socket) == $0
        })
    }
  }

  private var worker: SupervisedProgram {
    SupervisedProgram(
      name: "worker", executable: program, arguments: ["worker"], environment: environment,
      logFile: log("worker"))
  }

  private func writeNginx(
    _ house: House, isRoot: Bool, say: (String) -> Void
  ) throws -> SupervisedProgram {
    let executable = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let executable else { throw Failure("nginx is not installed") }
    let wanted = NginxConfiguration(
      port: configuration.port, usesIPv6: PortCheck.hasIPv6,
      certificate: configuration.usesTLS ? try OwnCertificate(configuration).make() : nil,
      user: isRoot ? "root" : nil, workers: 2,
      sockets: (0..<configuration.processes).map(configuration.socketPath),
      runFolder: configuration.runFolder, publicFolder: configuration.publicFolder,
      mediaFolder: configuration.mediaFolder, errorLog: log("nginx"),
      liveSocket: configuration.liveSocketPath,
      nchanModule: FileManager.default.fileExists(atPath: NginxConfiguration.nchanPath)
        ? NginxConfiguration.nchanPath : nil)
    let template = try String(
      contentsOfFile: "\(configuration.share)/deploy/nginx/pairspot.conf.template", encoding: .utf8)
    let nginx = try NginxFile(
      executable: executable, template: template, environment: environment
    ).write(wanted, say: say)
    return SupervisedProgram(
      name: "nginx", executable: executable, arguments: nginx.arguments, environment: environment,
      logFile: log("nginx"), stop: .quit, orphaned: .terminate,
      renewal: .keep, leftovers: [configuration.liveSocketPath])
  }
}

/// Who must listen before a stage of `Serve` counts as started.
private struct Listeners {
  let sockets: [String]
  let port: Int

  @Sendable func isReady(stage: Int) -> Bool {
    stage == 0
      ? sockets.allSatisfy(ListenerCheck.answers(path:)) : ListenerCheck.answers(port: port)
  }
}

/// Files of uploads that a killed process left behind.
enum UploadSweep {
  static func run(_ folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      if name.hasPrefix("upload-") {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
  }
}
