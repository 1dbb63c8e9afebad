import Foundation
import Glibc
import Synchronization
import Testing

@testable import Processes

@Suite(.serialized) struct SupervisorTests {
  @Test("A program that dies is started again")
  func restart() throws {
    let running = try RunningSupervisor([[shell("exit 3")]])
    let died = running.wait { if case .died(_, 3, _) = $0 { true } else { false } }
    #expect(died)
    #expect(running.wait(count: 3) { if case .started = $0 { true } else { false } })
  }

  @Test("Stopping ends every program, the last stage first")
  func stopping() throws {
    let running = try RunningSupervisor([
      [program("first", "/bin/sleep", ["60"])], [program("second", "/bin/sleep", ["60"])],
    ])
    #expect(running.wait(count: 2) { if case .started = $0 { true } else { false } })
    running.supervisor.stop()
    #expect(running.hasEnded(within: 30))
    let stopped = running.events.compactMap { event -> String? in
      if case .stopped(let name, let status) = event { "\(name) \(status)" } else { nil }
    }
    #expect(stopped == ["second 143", "first 143"])
    #expect(running.processes.allSatisfy { kill($0, 0) != 0 })
  }

  @Test("A stage waits until the one before it is ready")
  func readiness() throws {
    let isReady = Atomic(false)
    let running = try RunningSupervisor(
      [[shell("sleep 60")], [shell("sleep 60")]], timeout: 60,
      isReady: { _ in isReady.load(ordering: .relaxed) })
    #expect(running.wait { if case .started = $0 { true } else { false } })
    usleep(100_000)
    #expect(running.processes.count == 1)
    isReady.store(true, ordering: .relaxed)
    #expect(running.wait { if case .ready = $0 { true } else { false } })
    #expect(running.processes.count == 2)
  }

  @Test("A stage that is never ready is named, and the next one starts nevertheless")
  func neverReady() throws {
    let running = try RunningSupervisor(
      [[program("one", "/bin/sleep", ["60"])], [shell("sleep 60")]], isReady: { $0 > 0 })
    #expect(running.wait { if case .notReady(["one"]) = $0 { true } else { false } })
    #expect(running.wait { if case .ready = $0 { true } else { false } })
  }

  @Test("Stopping needs no ready stage")
  func stoppingEarly() throws {
    let running = try RunningSupervisor([[shell("sleep 60")]], isReady: { _ in false })
    #expect(running.wait { if case .started = $0 { true } else { false } })
    running.supervisor.stop()
    #expect(running.hasEnded(within: 30))
  }

  @Test("SIGINT stops as well", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signal(number: Int32) throws {
    let running = try RunningSupervisor([[program("sleep", "/bin/sleep", ["60"])]])
    #expect(running.wait { if case .started = $0 { true } else { false } })
    kill(getpid(), number)
    #expect(running.hasEnded(within: 30))
  }

  @Test("A program is asked to end by the signal it wants")
  func quitSignal() throws {
    let log = "/tmp/supervisor-\(UUID().uuidString)"
    defer { unlink(log) }
    let script = "trap 'exit 9' QUIT; echo $$; while :; do sleep 0.02; done"
    let running = try RunningSupervisor([[shell(script, stop: .quit, log: log)]])
    _ = try #require(number(in: log))
    running.supervisor.stop()
    #expect(running.hasEnded(within: 30))
    #expect(running.wait { if case .stopped(_, 9) = $0 { true } else { false } })
  }

  @Test("A program that doesn't listen is killed, with its children")
  func killed() throws {
    let log = "/tmp/supervisor-\(UUID().uuidString)"
    defer { unlink(log) }
    let running = try RunningSupervisor([
      [shell("trap '' TERM; sleep 61 & echo $!; while :; do sleep 0.1; done", log: log)]
    ])
    let grandchild = try #require(number(in: log))
    running.supervisor.stop()
    #expect(running.hasEnded(within: 30))
    #expect(running.wait { if case .killed = $0 { true } else { false } })
    #expect(isGone(grandchild))
  }

  @Test("The leftovers of a killed program end before it is restarted")
  func cleanup() throws {
    let log = "/tmp/supervisor-\(UUID().uuidString)"
    defer { unlink(log) }
    let running = try RunningSupervisor([[shell("sleep 62 & echo $!; kill -9 $$", log: log)]])
    let grandchild = try #require(number(in: log))
    #expect(running.wait { if case .died(_, 137, _) = $0 { true } else { false } })
    #expect(isGone(grandchild))
  }

  @Test("A socket that a killed program left behind goes before it is started again")
  func leftoverSockets() throws {
    let socket = "/tmp/supervisor-\(UUID().uuidString).sock"
    defer { unlink(socket) }
    try Data().write(to: URL(filePath: socket))
    let process = try SupervisedProgram(
      name: "listener", executable: "/bin/sleep", arguments: ["64"], environment: [:],
      cleanup: [socket]
    ).start()
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test("When the supervisor is killed, the kernel ends the program")
  func orphans() throws {
    let process = Mutex<pid_t>(0)
    let ended = DispatchSemaphore(value: 0)
    // The kernel treats the end of the starting thread as the end of the parent.
    let thread = Thread {
      process.withLock {
        $0 = (try? program("orphan", "/bin/sleep", ["63"]).start()) ?? 0
      }
      usleep(300_000)
      ended.signal()
    }
    thread.start()
    ended.wait()
    #expect(Spawn.wait(for: process.withLock { $0 }) == 128 + SIGKILL)
  }

  @Test("A program has the environment it was given and nothing else, and writes to its log")
  func environment() throws {
    let log = "/tmp/supervisor-\(UUID().uuidString)"
    defer { unlink(log) }
    let running = try RunningSupervisor([[program("env", "/usr/bin/env", [], log: log)]])
    #expect(running.wait { if case .died = $0 { true } else { false } })
    let text = try String(contentsOfFile: log, encoding: .utf8)
    #expect(text.split(separator: "\n").first == "GREETING=hello")
    #expect(!text.contains("HOME="))
  }

  @Test("A program that isn't there is named before anything starts")
  func missing() {
    #expect(throws: ChildProcess.CannotStart.self) {
      try Supervisor(
        stages: [[program("no", "/nowhere/no", [])]], isReady: { _ in true }, report: { _ in })
    }
  }

  func program(
    _ name: String, _ executable: String, _ arguments: [String], log: String? = nil
  ) -> SupervisedProgram {
    SupervisedProgram(
      name: name, executable: executable, arguments: arguments,
      environment: ["GREETING": "hello"], logFile: log)
  }

  func shell(
    _ script: String, stop: SupervisedProgram.Ending = .terminate, log: String? = nil
  ) -> SupervisedProgram {
    SupervisedProgram(
      name: "shell", executable: "/bin/sh", arguments: ["-c", script],
      environment: ["PATH": "/usr/bin:/bin"], logFile: log ?? "/dev/null", stop: stop)
  }

  private func number(in log: String) -> pid_t? {
    for _ in 0..<200 {
      let text = try? String(contentsOfFile: log, encoding: .utf8)
      if let line = text?.split(separator: "\n").first { return pid_t(line) }
      usleep(20_000)
    }
    return nil
  }

  /// Whether a process ends soon; a zombie counts as ended.
  private func isGone(_ process: pid_t) -> Bool {
    for _ in 0..<100 {
      let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      guard let state, !state.contains(") Z ") else { return true }
      usleep(20_000)
    }
    return false
  }
}

@Suite struct RestartBackoffTests {
  @Test("Pauses double up to the longest and start again from the shortest after a stable run")
  func doubling() {
    let pace = RestartBackoff()
    var last: Double?
    var delays: [Double] = []
    for lifetime in [0.0, 0, 0, 0, 0, 0, 0, 0, 31, 0] {
      let delay = pace.delay(after: last, aliveFor: lifetime)
      delays.append(delay)
      last = delay
    }
    #expect(delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 0.1, 0.2])
  }
}
