import Glibc

/// A program and its current process, with older ones that are finishing their requests.
struct SupervisedChild {
  private struct DrainingProcess {
    let process: pid_t
    /// When it is killed, in s of the monotonic clock.
    let deadline: Double
  }

  let program: SupervisedProgram
  private let pace: RestartBackoff
  private(set) var process: pid_t?
  private var startedAt = 0.0
  private var lastDelay: Double?
  private(set) var startsAt: Double?
  private var retired: [DrainingProcess] = []
  /// Set while it is asked to end only to be restarted: when it is killed.
  private var restartDeadline: Double?

  init(_ program: SupervisedProgram, pace: RestartBackoff) {
    self.program = program
    self.pace = pace
  }

  /// Throws `ChildProcess.CannotStart`.
  mutating func start() throws {
    process = try program.start()
    startedAt = monotonicSeconds()
    startsAt = nil
  }

  /// The exit status, if it has ended since the last call; a restart is then due after a delay.
  mutating func reapExited() -> (status: Int32, delay: Double)? {
    guard let process else { return nil }
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) != 0 else { return nil }
    self.process = nil
    // nginx's workers outlive their master and keep its port. Linux doesn't reuse the number just
    // freed for another process group at once.
    Glibc.kill(-process, SIGKILL)
    guard restartDeadline == nil else {
      restartDeadline = nil
      startsAt = monotonicSeconds()
      return (Spawn.code(of: status), 0)
    }
    return (Spawn.code(of: status), scheduleStart())
  }

  /// Whether one of its processes exists.
  var isThere: Bool { process != nil || !retired.isEmpty }

  // MARK: Upgrading

  private var finishing: Double { program.finishing ?? pace.retirement }

  /// Asks it to end, to be restarted at once.
  mutating func restart() {
    guard process != nil else { return }
    restartDeadline = monotonicSeconds() + finishing
    askToStop()
  }

  /// Asks the older process to end after a newer one has taken over.
  mutating func handOver(to newer: pid_t) {
    askToStop()
    if let process {
      retired.append(.init(process: process, deadline: monotonicSeconds() + finishing))
    }
    process = newer
    startedAt = monotonicSeconds()
    startsAt = nil
  }

  /// Whether a newer process is taking over. Nothing is started then: the two would compete,
  /// and the loser would delete the other's socket.
  var isBeingReplaced = false

  /// When it is to be started, in s of the monotonic clock; nil if it isn't.
  var dueAt: Double? { isBeingReplaced ? nil : startsAt }

  /// Reaps older processes, and kills those that take too long; returns the number of seconds until
  /// the next check.
  mutating func superviseRetired() -> Double {
    retired.removeAll { one in
      var status: Int32 = 0
      guard waitpid(one.process, &status, WNOHANG) != 0 else { return false }
      Glibc.kill(-one.process, SIGKILL)
      return true
    }
    let now = monotonicSeconds()
    for one in retired where one.deadline <= now { Self.kill(group: one.process) }
    if let restartDeadline, restartDeadline <= now { killGroup() }
    let deadlines = retired.map(\.deadline) + [restartDeadline].compactMap { $0 }
    return deadlines.min().map { max(0.2, $0 - now) } ?? 3600
  }

  func send(_ signal: Int32) {
    if let process { Glibc.kill(process, signal) }
  }

  /// Schedules the next start, with a longer delay each time; returns the delay in s.
  @discardableResult
  mutating func scheduleStart() -> Double {
    let now = monotonicSeconds()
    let delay = pace.delay(after: lastDelay, aliveFor: now - startedAt)
    lastDelay = delay
    startsAt = now + delay
    return delay
  }

  func askToStop() { send(program.stop.signal) }

  /// Kills the current process and its children; older ones finish.
  func killCurrent() {
    if let process { Self.kill(group: process) }
  }

  /// Kills the current process, its children and the older ones.
  func killGroup() {
    for process in retired.map(\.process) + [process].compactMap({ $0 }) {
      Self.kill(group: process)
    }
  }

  /// The process leads a session, and so a process group.
  static func kill(group process: pid_t) {
    if Glibc.kill(-process, SIGKILL) != 0 { Glibc.kill(process, SIGKILL) }
  }
}
