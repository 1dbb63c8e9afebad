import Glibc
import Synchronization

/// Keeps programs running, and ends them all when it is asked to.
///
/// A program that dies is started again after 0.1 s, then 0.2 s, up to 5 s; one that lived for
/// 30 s begins anew. If the supervisor itself is killed, the kernel ends the programs.
public final class Supervisor: Sendable {
  /// What a person or a log may want to know.
  public enum Event: Sendable {
    case started(name: String, process: Int32)
    /// `status` is the exit code, or 128 plus the signal; `restartIn` is in seconds.
    case died(name: String, status: Int32, restartIn: Double)
    case cannotStart(name: String, reason: String)
    /// Every stage is started and ready.
    case ready
    /// SIGUSR2 came: there may be something newer on the disk.
    case lookAsked
    /// What was asked of `renew` is done; older processes may still be finishing.
    case renewed
    /// A newer process didn't take over; the older one goes on, and what came after it in the
    /// order of stages was left alone.
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

  /// - Parameters:
  ///   - stages: started in this order and stopped in the reverse one, those of a stage together:
  ///     handlers before nginx, which so finishes its requests while somebody answers them.
  ///   - isReady: asked again and again after a stage was started; the next one waits for it,
  ///     10 s at most.
  ///   - report: called on the thread of `run`.
  ///
  /// Throws `ChildProcess.CannotStart` when a program isn't there.
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

  /// Has SIGUSR2 wait until `run` listens, instead of ending the process; to be called before any
  /// other thread begins.
  public static func holdLooks() {
    SupervisorSignals.holdLooks()
  }

  /// Asks `run` to end, from any thread.
  public func stop() {
    signals.askToStop()
  }

  /// Asks `run` to replace what runs by what is on the disk now, each program in its way
  /// (`SupervisedProgram.Renewal`), from any thread.
  public func renew() {
    signals.askToRenew()
  }

  /// Starts the programs and keeps them up until SIGINT, SIGTERM, SIGHUP or `stop()`; then stops
  /// them, and kills after 10 s, or at a second signal, what is still there.
  ///
  /// Call it on the main thread: the programs are ended when the thread that started them ends.
  public func run() {
    signals.whileListening { runListening() }
  }

  private func runListening() {
    var children = stages.map { $0.map { SupervisedChild($0, pace: pace) } }
    if let asked = startInTurn(&children) {
      report(.ready)
      keepUp(&children, asked)
    }
    report(.stopping)
    for stage in children.indices.reversed() { stop(&children[stage]) }
  }

  /// Starts stage after stage; answers what else was asked meanwhile, nil when it was to stop.
  private func startInTurn(_ children: inout [[SupervisedChild]]) -> SupervisorSignals.Asked? {
    var meanwhile = SupervisorSignals.Asked()
    for stage in children.indices {
      for index in children[stage].indices { start(&children[stage][index]) }
      let deadline = monotonicSeconds() + pace.timeout
      while !isReady(stage) {
        let asked = signals.wait(0.02)
        guard asked.stops == 0 else { return nil }
        meanwhile.add(asked)
        for index in children[stage].indices { _ = superviseOnce(&children[stage][index]) }
        guard monotonicSeconds() < deadline else {
          report(.notReady(names: children[stage].map(\.program.name)))
          break
        }
      }
    }
    return meanwhile
  }

  private func keepUp(
    _ children: inout [[SupervisedChild]], _ before: SupervisorSignals.Asked
  ) {
    var (pause, asked) = (0.0, before)
    while true {
      asked.add(signals.wait(pause))
      if asked.stops > 0 { return }
      if asked.looks { report(.lookAsked) }
      if asked.renews, !renew(&children) { return }
      pause = tendAll(&children)
      asked = SupervisorSignals.Asked()
    }
  }

  /// Answers after how many seconds to look again.
  func tendAll(_ children: inout [[SupervisedChild]]) -> Double {
    var pause = 3600.0
    for stage in children.indices {
      for index in children[stage].indices {
        pause = min(pause, superviseOnce(&children[stage][index]))
      }
    }
    return pause
  }

  /// Reaps and restarts one program; answers after how many seconds to look again.
  private func superviseOnce(_ child: inout SupervisedChild) -> Double {
    if let end = child.reap() {
      report(.died(name: child.program.name, status: end.status, restartIn: end.delay))
    }
    if let due = child.dueAt, due <= monotonicSeconds() { start(&child) }
    let retired = child.tendRetired()
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
        _ = children[index].tendRetired()
        guard let end = children[index].reap() else { continue }
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
