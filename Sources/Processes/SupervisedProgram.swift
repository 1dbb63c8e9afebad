import Glibc

/// A program that a `Supervisor` keeps running.
public struct SupervisedProgram: Sendable {
  /// The way in which a program is asked to end.
  public enum Ending: Sendable {
    /// SIGTERM: the default of most programs.
    case terminate
    /// SIGQUIT: nginx finishes its running requests.
    case quit
    /// SIGKILL.
    case kill

    var signal: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .quit: SIGQUIT
      case .kill: SIGKILL
      }
    }

    var name: String {
      switch self {
      case .terminate: "TERM"
      case .quit: "QUIT"
      case .kill: "KILL"
      }
    }
  }

  /// The way in which a program is upgraded.
  public enum Renewal: Sendable {
    /// It is asked to end, and started again.
    case restart
    /// It keeps running unchanged.
    case keep
    /// A newer process is started beside it, with these arguments; once `hasTakenOver` returns true
    /// for it, the older one is asked to end.
    case beside(arguments: [String], hasTakenOver: @Sendable (_ process: Int32) -> Bool)
  }

  public let name: String
  public let executable: String
  public let arguments: [String]
  public let environment: [String: String]
  public let logFile: String?
  public let output: Int32?
  public let stop: Ending
  public let orphaned: Ending
  public let renewal: Renewal
  let cleanup: [String]
  public let finishing: Double?
  private let keepsCapabilities: Bool

  /// Options of setpriv(1): the program gets none of the capabilities that a unit of systemd gave
  /// to the supervisor.
  private static let withoutCapabilities = ["--inh-caps", "-all", "--ambient-caps", "-all"]

  /// - Parameters:
  ///   - executable: an absolute path.
  ///   - environment: all of it; nothing is inherited.
  ///   - logFile: gets both outputs, appended; nil inherits the supervisor's.
  ///   - output: a descriptor that gets both outputs, instead of any file.
  ///   - stop: how it is asked to end when the supervisor stops.
  ///   - orphaned: the kernel's signal to it when the supervisor is killed. A program with
  ///     children of its own (nginx) needs `.terminate`, so that it ends them too.
  ///   - renewal: how `Supervisor.renew` upgrades it.
  ///   - cleanup: paths of sockets that it creates and leaves behind when it is killed, where they
  ///     would keep it from starting: removed before each start.
  ///   - finishing: how long, in s, it may finish its requests once a newer process has taken over,
  ///     before it is killed; nil for a minute.
  ///   - keepsCapabilities: whether it gets the supervisor's capabilities, to listen on low ports.
  public init(
    name: String, executable: String, arguments: [String], environment: [String: String],
    logFile: String? = nil, output: Int32? = nil, stop: Ending = .terminate,
    orphaned: Ending = .kill, renewal: Renewal = .restart, cleanup: [String] = [],
    finishing: Double? = nil, keepsCapabilities: Bool = false
  ) {
    self.name = name
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.logFile = logFile
    self.output = output
    self.stop = stop
    self.orphaned = orphaned
    self.renewal = renewal
    self.cleanup = cleanup
    self.finishing = finishing
    self.keepsCapabilities = keepsCapabilities
  }

  /// Starts it in a session of its own, so that Ctrl-C on the terminal reaches the supervisor
  /// alone, and asks the kernel to end it with the supervisor (`PR_SET_PDEATHSIG`, which
  /// `posix_spawn` can't set and setpriv(1) can; both helpers replace themselves by the program).
  /// The kernel ends it with the thread that starts it, so that thread must live as long as the
  /// supervisor.
  ///
  /// `arguments` replace its own. Throws `ChildProcess.CannotStart`.
  func start(with arguments: [String]? = nil) throws -> pid_t {
    try checkExecutable()
    for path in cleanup { unlink(path) }
    let log = try openLog()
    defer { if let log { close(log) } }
    let stream = (output ?? log).map { Spawn.Stream.descriptor($0) } ?? .inherited
    return try Spawn.start(
      "/usr/bin/setpriv",
      ["--pdeathsig", orphaned.name] + (keepsCapabilities ? [] : Self.withoutCapabilities)
        + ["/usr/bin/setsid", executable]
        + (arguments ?? self.arguments),
      environment: environment, output: stream, errors: stream)
  }

  /// Throws `ChildProcess.CannotStart` if the program doesn't exist.
  func checkExecutable() throws {
    guard access(executable, X_OK) == 0 else {
      throw ChildProcess.CannotStart(executable: executable, code: errno)
    }
  }

  private func openLog() throws -> Int32? {
    guard let logFile else { return nil }
    let log = open(logFile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw ChildProcess.CannotStart(executable: logFile, code: errno) }
    return log
  }
}
