import Foundation
import Glibc
import Synchronization

@testable import Processes

/// A supervisor with short timeouts on a thread of its own, stopped when the test releases it.
final class RunningSupervisor {
  let supervisor: Supervisor
  private let log = EventLog()
  private let ended = DispatchSemaphore(value: 0)

  init(
    _ stages: [[SupervisedProgram]], timeout: Double = 0.5,
    isReady: @escaping @Sendable (_ stage: Int) -> Bool = { _ in true }
  ) throws {
    let log = log
    let pace = RestartBackoff(
      firstDelay: 0.02, maximumDelay: 0.1, stableAfter: 30, timeout: timeout, readiness: 1,
      takeoverDelay: 0.05, retirement: 1)
    let supervisor = try Supervisor(stages: stages, pace: pace, isReady: isReady) { log.add($0) }
    self.supervisor = supervisor
    let ended = ended
    Thread.detachNewThread {
      supervisor.run()
      ended.signal()
    }
  }

  deinit {
    supervisor.stop()
    ended.wait()
  }

  var events: [Supervisor.Event] { log.events.withLock { $0 } }

  var processes: [pid_t] {
    events.compactMap { if case .started(_, let process) = $0 { process } else { nil } }
  }

  func hasEnded(within seconds: Double) -> Bool {
    let result = ended.wait(timeout: .now() + seconds) == .success
    if result { ended.signal() }
    return result
  }

  func wait(count: Int = 1, for match: (Supervisor.Event) -> Bool) -> Bool {
    for _ in 0..<3000 {
      if events.count(where: match) >= count { return true }
      usleep(10_000)
    }
    return false
  }

  private final class EventLog: Sendable {
    let events = Mutex<[Supervisor.Event]>([])
    func add(_ event: Supervisor.Event) { events.withLock { $0.append(event) } }
  }
}
