import Backup
import Core
import Foundation
import Glibc
import Processes

/// `pairspot serve`: nginx, handlers and worker, started in order and kept running.
///
/// This process only supervises them, and stays small: another process prepares everything
/// (`StartupPreparation`).
public struct Serve {
  /// The reason why an instance can't start, in one line.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// The preparing process failed with this status, and has printed the reason.
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

  /// Prepares the instance and runs it until it is asked to stop. `printLine` prints a line for the
  /// operator. Throws `Failure`, `NotPrepared` and the errors of opening the data folder.
  public func run(printLine: @escaping @Sendable (String) -> Void) throws {
    if geteuid() == 0 && !configuration.isDevelopment {
      throw Failure("refusing to run as root in production")
    }
    try checkPorts()
    // Both locks are held to the end, and nothing is changed before both are.
    let lock = try Folders.open(configuration, printLine: printLine)
    for path in InterruptedRestore.cleanup(in: configuration.data) {
      printLine("an interrupted restore left \(path): remove it with pairspot doctor --repair")
    }
    try Folders.makeRunFolder(configuration)
    let serverLock = try ServerLock(configuration)
    try prepare()
    let nginxLog = try NginxLog(configuration)
    try supervisor(serverLock, nginxLog, printLine: printLine).run()
    nginxLog.end()
    withExtendedLifetime((lock, serverLock)) {}
  }

  /// Throws if nginx could not listen.
  private func checkPorts() throws {
    for port in [configuration.port, configuration.redirectPort].compactMap(\.self) {
      for address in configuration.listenAddresses where PortCheck.exists(address) {
        switch PortCheck.problem(of: address, port) {
        case nil: break
        case EADDRINUSE: throw Failure("port \(port) is in use; choose another with PORT=")
        case EACCES:
          throw Failure(
            "port \(port) needs the capability CAP_NET_BIND_SERVICE, which the systemd unit gives")
        case let code?:
          throw Failure("cannot listen on \(address.text): \(String(cString: strerror(code)))")
        }
      }
    }
  }

  /// Ends if this process is ended in the meantime; uncommitted changes are rolled back.
  private func prepare() throws {
    var environment = ServedPrograms.environment(configuration)
    if configuration.hasDemo { environment["PAIRSPOT_DEMO"] = "1" }
    let status = try ChildProcess.runAttached(
      program, ["serve", "--prepare", "--first"], environment: environment)
    guard status <= 128 else {
      throw Failure("the preparation of the instance was terminated by signal \(status - 128)")
    }
    guard status == 0 else { throw NotPrepared(status: status) }
  }

  private func supervisor(
    _ serverLock: ServerLock, _ nginxLog: NginxLog, printLine: @escaping @Sendable (String) -> Void
  ) throws -> Supervisor {
    let baseURL = configuration.baseURL
    let greeting =
      "PairSpot is running at \(baseURL)"
      + (configuration.isDevelopment ? ", its mail is at \(baseURL)/dev/mail" : "")
    let upgrading = UpgradeTask(
      program: program, environment: ServedPrograms.environment(configuration),
      result: serverLock.result, printLine: printLine)
    let supervisor = try Supervisor(
      stages: ServedPrograms(
        configuration: configuration, program: program, nginxOutput: nginxLog.input
      ).stages(),
      isReady: listeners().isReady
    ) { event in
      switch event {
      case .ready:
        printLine(greeting)
        ServiceManager.ready(status: "Serving \(baseURL)")
      case .stopping: ServiceManager.stopping()
      case .notReady(let names): printLine("\(names.joined(separator: ", ")): not ready yet")
      case .died(let name, let status, _): printLine("\(name) exited (\(status)); restarting it")
      case .cannotStart(let name, let reason): printLine("\(name) cannot start: \(reason)")
      case .upgradeRequested: upgrading.begin()
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
      address: configuration.listenAddresses.first { PortCheck.exists($0) },
      port: configuration.port)
  }
}

/// The sockets and the port that must accept connections before a stage of `Serve` counts as
/// started.
private struct Listeners {
  let sockets: [String]
  let address: ListenAddress?
  let port: Int

  @Sendable func isReady(stage: Int) -> Bool {
    stage == 0
      ? sockets.allSatisfy(ListenerCheck.answers(path:))
      : address.map { ListenerCheck.answers($0, port: port) } ?? false
  }
}
