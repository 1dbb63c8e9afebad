import Foundation
import Glibc
import Synchronization
import Testing

@testable import Processes

extension SupervisorTests {
  private static let endless = "trap 'exit 0' TERM; while :; do sleep 0.02; done"

  private func renewable(
    _ script: String = endless, newer: String = endless,
    hasTakenOver: @escaping @Sendable (pid_t) -> Bool
  ) -> SupervisedProgram {
    SupervisedProgram(
      name: "server", executable: "/bin/sh", arguments: ["-c", script],
      environment: ["PATH": "/usr/bin:/bin"], logFile: "/dev/null",
      renewal: .beside(arguments: ["-c", newer], hasTakenOver: hasTakenOver))
  }

  private func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

  private func isReached(_ condition: () -> Bool) -> Bool {
    for _ in 0..<3000 {
      if condition() { return true }
      usleep(10_000)
    }
    return false
  }

  @Test("A newer process takes over before the older one is asked to end")
  func renewal() throws {
    let mayTakeOver = Atomic(false)
    let running = try RunningSupervisor([
      [renewable { _ in mayTakeOver.load(ordering: .relaxed) }]
    ])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    running.supervisor.renew()
    #expect(running.wait(count: 2) { if case .started = $0 { true } else { false } })
    usleep(200_000)
    let (older, newer) = (running.processes[0], running.processes[1])
    #expect(isAlive(older) && isAlive(newer))
    mayTakeOver.store(true, ordering: .relaxed)
    #expect(running.wait { if case .renewed = $0 { true } else { false } })
    #expect(isReached { !isAlive(older) })
    #expect(isAlive(newer))
    // No process died: all that ended were asked to.
    #expect(!running.events.contains { if case .died = $0 { true } else { false } })
    running.supervisor.stop()
    #expect(running.hasEnded(within: 30))
    #expect(!isAlive(newer))
  }

  @Test(
    "A newer process that ends, or is never ready, leaves the older one at work",
    arguments: ["exit 7", "sleep 60"])
  func failedRenewal(script: String) throws {
    let second = shell("sleep 60")
    let running = try RunningSupervisor([
      [renewable(newer: script) { _ in false }], [second],
    ])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    let before = running.processes
    running.supervisor.renew()
    #expect(running.wait { if case .notRenewed("server", _) = $0 { true } else { false } })
    #expect(before.allSatisfy(isAlive))
    #expect(isReached { !isAlive(running.processes[2]) })
    #expect(!running.events.contains { if case .renewed = $0 { true } else { false } })
    // And it can be tried again.
    running.supervisor.renew()
    #expect(running.wait(count: 2) { if case .notRenewed = $0 { true } else { false } })
  }

  @Test("When nothing answers any more after a failed renewal, the older one starts again")
  func halfTakenOver() throws {
    let isReachable = Atomic(true)
    let running = try RunningSupervisor(
      [
        [
          renewable(newer: "exit 7") { _ in
            isReachable.store(false, ordering: .relaxed)
            return false
          }
        ]
      ],
      isReady: { _ in isReachable.load(ordering: .relaxed) })
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    running.supervisor.renew()
    #expect(running.wait { if case .died(_, 137, _) = $0 { true } else { false } })
    #expect(running.wait(count: 3) { if case .started = $0 { true } else { false } })
  }

  @Test("An older process that dies while a newer one takes over isn't started again beside it")
  func diesMeanwhile() throws {
    let mayTakeOver = Atomic(false)
    let running = try RunningSupervisor([
      [
        renewable("sleep 0.3; exit 5", newer: Self.endless) { _ in
          mayTakeOver.load(ordering: .relaxed)
        }
      ]
    ])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    running.supervisor.renew()
    #expect(running.wait { if case .died(_, 5, _) = $0 { true } else { false } })
    usleep(200_000)
    #expect(running.processes.count == 2)
    mayTakeOver.store(true, ordering: .relaxed)
    #expect(running.wait { if case .renewed = $0 { true } else { false } })
    usleep(200_000)
    #expect(running.processes.count == 2)
    #expect(isAlive(running.processes[1]))
  }

  @Test("When the older one has died and the newer one fails, the older one is started again")
  func bothDie() throws {
    let running = try RunningSupervisor([
      [renewable("sleep 0.2; exit 5", newer: "sleep 0.6; exit 7") { _ in false }]
    ])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    running.supervisor.renew()
    #expect(running.wait(count: 3) { if case .started = $0 { true } else { false } })
    let before = running.events.prefix { if case .notRenewed = $0 { false } else { true } }
    #expect(before.count { if case .started = $0 { true } else { false } } == 2)
  }

  @Test("Each program has its own time to finish", arguments: [0.2, 60])
  func finishing(seconds: Double) throws {
    let stubborn = SupervisedProgram(
      name: "stubborn", executable: "/bin/sh",
      arguments: ["-c", "trap '' TERM; while :; do sleep 0.02; done"],
      environment: ["PATH": "/usr/bin:/bin"], logFile: "/dev/null",
      renewal: .beside(arguments: ["-c", Self.endless]) { _ in true }, finishing: seconds)
    let running = try RunningSupervisor([[stubborn]])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    usleep(200_000)
    running.supervisor.renew()
    #expect(running.wait { if case .renewed = $0 { true } else { false } })
    let older = running.processes[0]
    // The supervisor of these tests waits a second unless a process requests another time.
    usleep(1_500_000)
    #expect(isAlive(older) == (seconds > 1.5))
  }

  @Test("Others are restarted, or continue as they are")
  func otherRenewals() throws {
    let kept = SupervisedProgram(
      name: "kept", executable: "/bin/sh", arguments: ["-c", Self.endless],
      environment: ["PATH": "/usr/bin:/bin"], logFile: "/dev/null", renewal: .keep)
    let running = try RunningSupervisor([[shell(Self.endless)], [kept]])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    usleep(200_000)
    let before = running.processes
    running.supervisor.renew()
    #expect(running.wait { if case .renewed = $0 { true } else { false } })
    #expect(running.wait(count: 3) { if case .started = $0 { true } else { false } })
    #expect(isReached { !isAlive(before[0]) })
    #expect(isAlive(before[1]))
  }

  @Test("An older process that takes too long is killed")
  func stubbornOnes() throws {
    let stubborn = "trap '' TERM; while :; do sleep 0.02; done"
    let running = try RunningSupervisor([[renewable(stubborn) { _ in true }]])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    usleep(200_000)
    running.supervisor.renew()
    #expect(running.wait { if case .renewed = $0 { true } else { false } })
    let older = running.processes[0]
    #expect(isAlive(older))
    #expect(isReached { !isAlive(older) })
  }

  @Test("SIGUSR2 asks to look, and ends nothing")
  func looking() throws {
    let running = try RunningSupervisor([[shell("sleep 60")]])
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    kill(getpid(), SIGUSR2)
    #expect(running.wait { if case .upgradeRequested = $0 { true } else { false } })
    #expect(isAlive(running.processes[0]))
  }

  @Test("SIGUSR2 while programs still start takes effect after their start")
  func lookingEarly() throws {
    let isReady = Atomic(false)
    let running = try RunningSupervisor(
      [[shell("sleep 60")]], isReady: { _ in isReady.load(ordering: .relaxed) })
    #expect(running.wait { if case .started = $0 { true } else { false } })
    kill(getpid(), SIGUSR2)
    usleep(100_000)
    isReady.store(true, ordering: .relaxed)
    #expect(running.wait { if case .upgradeRequested = $0 { true } else { false } })
  }

  @Test("SIGUSR2 before there is a handler waits, and ends nothing")
  func lookingTooEarly() throws {
    let isHeard = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Supervisor.blockUpgradeSignal()
      // To this thread only, since other threads of the tests don't block it.
      pthread_kill(pthread_self(), SIGUSR2)
      let supervisor = try? Supervisor(stages: [], pace: RestartBackoff()) { event in
        if case .upgradeRequested = event { isHeard.store(true, ordering: .relaxed) }
      }
      Thread.detachNewThread {
        _ = isReached { isHeard.load(ordering: .relaxed) }
        supervisor?.stop()
      }
      supervisor?.run()
      ended.signal()
    }
    ended.wait()
    let wasHeard = isHeard.load(ordering: .relaxed)
    #expect(wasHeard)
  }
}
