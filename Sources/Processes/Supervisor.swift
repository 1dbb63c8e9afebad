import Glibc
import Synchronization

/// Keeps programs running, and ends them all on request.
///
/// A program that dies is restarted after 0.1 s, then 0.2 s, up to 5 s; the delay starts over once
/// it has run for 30 s. If the supervisor itself is killed, the kernel ends the programs.
public final class Supervisor: Sendable {
  /// An event for the terminal or a log.
  public enum Event: Sendable {
    case started(name: String, process: Int32)
    /// `status` is the exit code, or 128 plus the signal; `restartIn` is in s.
    case died(name: String, status: Int32, restartIn: Double)
    case cannotStart(name: String, reason: String)
    /// Every stage is started and ready.
    case ready
    /// SIGUSR2 came: there may be a newer version installed.
    case upgradeRequested
    /// `renew` is complete; older processes may still be finishing their requests.
    case renewed
    /// A newer process didn't take over; the older one keeps running, and the later stages were
    /// left alone.
    case notRenewed(name: String, reason: String)
    /// The programs of a stage were not ready in time; the next stage starts nevertheless.
    case notReady(names: [String])
    case stopping
    case killed(name: String)
    case stopped(name: String, status: Int32)
  }

  private let stages: [[SupervisedProgram]]
  let isReady: @Sendable (_ stage: Int) -> Bool
  let pace: RestartBackoff
  let report: @Sendable (Event) -> Void
  let signals: SupervisorSignals
  /// In s.
  private let beatInterval = ServiceManager.beatInterval ?? 3600

  /// - Parameters:
  ///   - stages: started in this order and stopped in the reverse order, the programs of a stage
  ///     together: handlers before nginx, so that nginx finishes its requests while they run.
  ///   - isReady: polled after the start of a stage; the next one waits for it, 10 s at most.
  ///   - report: called on the thread of `run`.
  ///
  /// Throws `ChildProcess.CannotStart` if a program doesn't exist.
  public convenience init(
    stages: [[SupervisedProgram]], isReady: @escaping @Sendable (_ stage: Int) -> Bool,
    report: @escaping @Sendable (Event) -> Void
  ) throws {
    try self.init(stages: stages, pace: RestartBackoff(), isReady: isReady, report: report)
  }

  init(
    stages: [[SupervisedProgram]], pace: RestartBackoff,
    isReady: @escaping @Sendable (_ stage: Int) -> Bool = { _ in true },
    report: @escaping @Sendable (Event) -> Void
  ) throws {
    for program in stages.joined() { try program.checkExecutable() }
    self.stages = stages
    self.isReady = isReady
    self.pace = pace
    self.report = report
    signals = try SupervisorSignals()
  }

  /// Makes SIGUSR2 wait until `run` listens, instead of ending the process. Call this before any
  /// other thread starts.
  public static func blockUpgradeSignal() {
    SupervisorSignals.blockUpgradeSignal()
  }

  /// Asks `run` to end, from any thread.
  public func stop() {
    signals.askToStop()
  }

  /// Asks `run` to replace the running programs by the installed versions, each in its way
  /// (`SupervisedProgram.Renewal`), from any thread.
  public func renew() {
    signals.askToRenew()
  }

  /// Starts the programs and keeps them running until SIGINT, SIGTERM, SIGHUP or `stop()`; then
  /// stops them, and kills the remaining ones after 10 s, or at a second signal.
  ///
  /// Call it on the main thread: the programs are ended when the thread that started them ends.
  public func run() {
    signals.whileListening { runListening() }
  }

  private func runListening() {
    var children = stages.map { $0.map { SupervisedChild($0, pace: pace) } }
    if let requests = startInOrder(&children) {
      report(.ready)
      superviseUntilStopped(&children, requests)
    }
    report(.stopping)
    for stage in children.indices.reversed() { stop(&children[stage]) }
  }

  /// Starts stage after stage; returns the other requests received during that, nil for a stop.
  private func startInOrder(_ children: inout [[SupervisedChild]]) -> SupervisorSignals.Requests? {
    var pending = SupervisorSignals.Requests()
    for stage in children.indices {
      for index in children[stage].indices { start(&children[stage][index]) }
      let deadline = monotonicSeconds() + pace.timeout
      while !isReady(stage) {
        let requests = signals.wait(0.02)
        guard requests.stops == 0 else { return nil }
        pending.add(requests)
        for index in children[stage].indices { _ = superviseOnce(&children[stage][index]) }
        guard monotonicSeconds() < deadline else {
          report(.notReady(names: children[stage].map(\.program.name)))
          break
        }
      }
    }
    return pending
  }

  private func superviseUntilStopped(
    _ children: inout [[SupervisedChild]], _ before: SupervisorSignals.Requests
  ) {
    var (pause, requests) = (0.0, before)
    while true {
      requests.add(signals.wait(pause))
      if requests.stops > 0 { return }
      if requests.upgradeChecks { report(.upgradeRequested) }
      if requests.renews, !renew(&children) { return }
      pause = superviseAll(&children)
      requests = SupervisorSignals.Requests()
    }
  }

  /// Checks all programs, and tells the service manager so; returns the number of seconds until the
  /// next check.
  func superviseAll(_ children: inout [[SupervisedChild]]) -> Double {
    ServiceManager.beat()
    var pause = beatInterval
    for stage in children.indices {
      for index in children[stage].indices {
        pause = min(pause, superviseOnce(&children[stage][index]))
      }
    }
    return pause
  }

  /// Reaps and restarts one program; returns the number of seconds until the next check.
  private func superviseOnce(_ child: inout SupervisedChild) -> Double {
    if let end = child.reapExited() {
      report(.died(name: child.program.name, status: end.status, restartIn: end.delay))
    }
    if let due = child.dueAt, due <= monotonicSeconds() { start(&child) }
    let retired = child.superviseRetired()
    return min(retired, child.dueAt.map { max(0, $0 - monotonicSeconds()) } ?? 3600)
  }

  private func start(_ child: inout SupervisedChild) {
    do {
      try child.start()
      report(.started(name: child.program.name, process: child.process ?? 0))
    } catch {
      report(.cannotStart(name: child.program.name, reason: "\(error)"))
      child.scheduleStart()
    }
  }

  private func stop(_ children: inout [SupervisedChild]) {
    for child in children { child.askToStop() }
    var deadline = monotonicSeconds() + pace.timeout
    while true {
      for index in children.indices {
        _ = children[index].superviseRetired()
        guard let end = children[index].reapExited() else { continue }
        report(.stopped(name: children[index].program.name, status: end.status))
      }
      let left = children.filter(\.isThere)
      if left.isEmpty { return }
      if monotonicSeconds() >= deadline {
        for child in left {
          report(.killed(name: child.program.name))
          child.killGroup()
        }
        deadline = .infinity
      }
      if signals.wait(min(deadline - monotonicSeconds(), 1)).stops > 0 { deadline = 0 }
    }
  }
}
