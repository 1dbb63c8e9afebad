import Glibc

/// A program and the process that runs it now.
struct SupervisedChild {
  let program: SupervisedProgram
  private let pace: SupervisorPace
  private(set) var process: pid_t?
  private var startedAt = 0.0
  private var lastDelay: Double?
  private(set) var startsAt: Double?

  init(_ program: SupervisedProgram, pace: SupervisorPace) {
    self.program = program
    self.pace = pace
  }

  /// Throws `ChildProcess.CannotStart`.
  mutating func start() throws {
    process = try program.start()
    startedAt = monotonicSeconds()
    startsAt = nil
  }

  /// The way it ended, if it did since the last look; then it is due for a new start after
  /// a pause.
  mutating func reap() -> (status: Int32, delay: Double)? {
    guard let process else { return nil }
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) != 0 else { return nil }
    self.process = nil
    // nginx's workers outlive their master and keep its port. Linux doesn't give the number that
    // was just freed to a stranger.
    kill(-process, SIGKILL)
    return (Spawn.code(of: status), scheduleStart())
  }

  /// Puts the next start off, longer each time; answers for how many seconds.
  @discardableResult
  mutating func scheduleStart() -> Double {
    let now = monotonicSeconds()
    let delay = pace.delay(after: lastDelay, aliveFor: now - startedAt)
    lastDelay = delay
    startsAt = now + delay
    return delay
  }

  func askToStop() {
    if let process { kill(process, program.stop.signal) }
  }

  /// Kills it and what it started: it leads a session, and so a group.
  func killGroup() {
    if let process, kill(-process, SIGKILL) != 0 { kill(process, SIGKILL) }
  }
}
