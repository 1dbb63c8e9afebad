import Backup
import Core
import Foundation
import Glibc
import Processes

/// `pairspot serve`: nginx, handlers and worker, started in their order and kept running.
///
/// This process itself only watches over them, and stays small: what has to be ready before is made
/// by another one (`StartupPreparation`).
public struct Serve {
  /// What keeps an instance from starting, in one line.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// The preparing process ended so, and has said why.
  public struct NotPrepared: Error {
    public let status: Int32
  }

  private let configuration: Configuration
  private let program: String

  /// `program` is the absolute path of this very program.
  public init(_ configuration: Configuration, program: String) {
    self.configuration = configuration
    self.program = program
  }

  /// Prepares the instance and runs it until it is asked to stop. `say` prints a line for the
  /// person at the terminal. Throws `Failure`, `NotPrepared` and what keeps the data folder from
  /// being opened.
  public func run(say: @escaping @Sendable (String) -> Void) throws {
    if geteuid() == 0 && !configuration.isDevelopment {
      throw Failure("refusing to run as root in production")
    }
    guard PortCheck.isFree(configuration.port) else {
      throw Failure("port \(configuration.port) is taken; choose another with PORT=")
    }
    // Both are held to the end, and nothing is touched before both are.
    let lock = try Folders.open(configuration, say: say)
    for path in InterruptedRestore.cleanup(in: configuration.data) {
      say("a restore was interrupted and left \(path): pairspot doctor --repair removes it")
    }
    try Folders.makeRunFolder(configuration)
    let seat = try ServerLock(configuration)
    try prepare()
    let nginxLog = try NginxLog(configuration)
    try supervisor(seat, nginxLog, say: say).run()
    nginxLog.end()
    withExtendedLifetime((lock, seat)) {}
  }

  /// Ends when this process is ended meanwhile; what was not committed is as it was.
  private func prepare() throws {
    var environment = ServedPrograms.environment(configuration)
    if configuration.hasDemo { environment["PAIRSPOT_DEMO"] = "1" }
    let status = try ChildProcess.runAttached(
      program, ["serve", "--prepare", "--first"], environment: environment)
    guard status <= 128 else {
      throw Failure("what prepares the instance was ended by signal \(status - 128)")
    }
    guard status == 0 else { throw NotPrepared(status: status) }
  }

  private func supervisor(
    _ seat: ServerLock, _ nginxLog: NginxLog, say: @escaping @Sendable (String) -> Void
  ) throws -> Supervisor {
    let greeting =
      "PairSpot is at \(configuration.baseURL)"
      + (configuration.isDevelopment ? ", its mail at \(configuration.baseURL)/dev/mail" : "")
    let upgrading = UpgradeTask(
      program: program, environment: ServedPrograms.environment(configuration),
      result: seat.result, say: say)
    let supervisor = try Supervisor(
      stages: ServedPrograms(
        configuration: configuration, program: program, nginxOutput: nginxLog.input
      ).stages(),
      isReady: listeners().isReady
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
    return supervisor
  }

  private func listeners() -> Listeners {
    Listeners(
      sockets: (0..<configuration.processes).map(configuration.socketPath),
      port: configuration.port)
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
