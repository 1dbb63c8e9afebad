import Core
import Database
import Dispatch
import Foundation
import Logging
import Synchronization
import Testing

@testable import Jobs

@Suite struct WorkerTests {
  let database: Database
  let clock = ManualClock(Instant(milliseconds: 1_000_000))

  init() throws {
    database = try Database(path: NSTemporaryDirectory() + "jobs-\(UUID().uuidString).sqlite")
    try database.migrate(JobSchema.migrations)
  }

  private func worker(_ kinds: [JobKind]) -> Worker {
    Worker(
      store: JobStore(database: database), kinds: kinds, clock: clock,
      logger: Logger(label: "test"))
  }

  private func add(_ kind: String, key: String? = nil, after seconds: Int64 = 0) throws -> Bool {
    try database.write {
      try JobStore.add(
        kind, uniqueKey: key, runAt: clock.now().adding(seconds: seconds), now: clock.now(), in: $0)
    }
  }

  @Test("A job runs once, when it is due and not before")
  func due() throws {
    let runs = Mutex(0)
    let worker = worker([
      JobKind("a") { _, _ in
        runs.withLock { $0 += 1 }
        return .done
      }
    ])
    _ = try add("a", after: 60)
    try worker.runDue()
    #expect(runs.withLock { $0 } == 0)
    clock.advance(seconds: 60)
    try worker.runDue()
    try worker.runDue()
    #expect(runs.withLock { $0 } == 1)
  }

  @Test("A unique key is in the queue at most once")
  func uniqueKey() throws {
    #expect(try add("a", key: "k"))
    #expect(try !add("a", key: "k"))
  }

  @Test("A job that throws is tried again later, with its attempts counted")
  func retry() throws {
    struct Wrong: Error {}
    let attempts = Mutex<[Int]>([])
    let worker = worker([
      JobKind("a") { job, _ in
        attempts.withLock { $0.append(job.attempts) }
        throw Wrong()
      }
    ])
    _ = try add("a")
    try worker.runDue()
    try worker.runDue()
    #expect(attempts.withLock { $0 } == [1])
    clock.advance(seconds: 10)
    try worker.runDue()
    #expect(attempts.withLock { $0 } == [1, 2])
  }

  @Test("A job whose worker died comes due again when its lease ends")
  func lease() throws {
    let store = JobStore(database: database)
    let kinds = ["a": JobKind("a", lease: 30) { _, _ in .done }]
    _ = try add("a")
    let first = try #require(try store.claim(kinds, now: clock.now()))
    #expect(try store.claim(kinds, now: clock.now()) == nil)
    clock.advance(seconds: 31)
    let second = try #require(try store.claim(kinds, now: clock.now()))
    #expect(second.id == first.id)
    // The first worker, resumed, must not finish a job that another has claimed.
    try store.finish(first, .done, now: clock.now())
    try store.finish(second, .retry(after: 5, because: "x"), now: clock.now())
    clock.advance(seconds: 5)
    #expect(try store.claim(kinds, now: clock.now()) != nil)
  }

  @Test("Each lane has its own jobs, and no other's")
  func queues() throws {
    let store = JobStore(database: database)
    for kind in ["mail", "tidy", "mail", "scan", "pack"] { _ = try add(kind) }
    func take(_ queue: JobQueue) throws -> [String] {
      var taken: [String] = []
      while let job = try store.claim([:], queue: queue, now: clock.now()) {
        taken.append(job.kind)
      }
      return taken
    }
    #expect(try take(.only("mail")) == ["mail", "mail"])
    #expect(try take(.allBut("mail", "scan")).sorted() == ["pack", "tidy"])
    #expect(try take(.only("scan")) == ["scan"])
    _ = try add("mail")
    _ = try add("tidy")
    #expect(try take(.all).sorted() == ["mail", "tidy"])
  }

  @Test("A job that takes long keeps no other lane's work waiting", arguments: [1, 2])
  func longJob(workers: Int) throws {
    let scans = Mutex(0)
    let begun = Mutex(0)
    let over = DispatchSemaphore(value: 0)
    let kinds: [JobKind] = [
      .recurring("scan", every: 900, isPunctual: true) { _ in scans.withLock { $0 += 1 } },
      JobKind("export") { _, _ in
        begun.withLock { $0 += 1 }
        over.wait()
        return .done
      },
    ]
    for _ in 0..<workers { _ = try add("export") }
    let all = (0..<workers).flatMap { _ in
      [JobQueue.only("scan"), .allBut("scan", "mail")].map {
        Worker(
          store: JobStore(database: database), kinds: kinds, queue: $0, clock: clock,
          logger: Logger(label: "test"))
      }
    }
    let ended = DispatchGroup()
    for one in all {
      ended.enter()
      Thread.detachNewThread {
        one.run()
        ended.leave()
      }
    }
    func wait(_ body: () -> Bool) -> Bool {
      for _ in 0..<2_000 where !body() { usleep(10_000) }
      return body()
    }
    #expect(wait { begun.withLock { $0 } == workers && scans.withLock { $0 } > 0 })
    for _ in 1...3 {
      let before = scans.withLock { $0 }
      clock.advance(seconds: 900)
      #expect(wait { scans.withLock { $0 } > before })
    }
    #expect(begun.withLock { $0 } == workers)
    for one in all { one.stop() }
    for _ in 0..<workers { over.signal() }
    ended.wait()
  }

  @Test("Recurring work comes round at its interval, and waits in the queue only once")
  func recurring() throws {
    let runs = Mutex(0)
    let worker = worker([.recurring("tidy", every: 3600) { _ in runs.withLock { $0 += 1 } }])
    try worker.runDue()
    try worker.runDue()
    clock.advance(seconds: 3600)
    try worker.runDue()
    #expect(runs.withLock { $0 } == 2)
    #expect(try database.read { try $0.count("SELECT count(*) FROM jobs") } == 1)
  }

  @Test("Recurring work that keeps failing is tried again at its next round at the latest")
  func failingRounds() throws {
    struct Wrong: Error {}
    let runs = Mutex(0)
    let worker = worker([
      .recurring("scan", every: 900, isPunctual: true) { _ in
        runs.withLock { $0 += 1 }
        throw Wrong()
      }
    ])
    for _ in 0..<20 {
      try worker.runDue()
      clock.advance(seconds: 900)
    }
    #expect(runs.withLock { $0 } == 20)
    try database.write { try $0.execute("UPDATE jobs SET attempts = 50, run_at = 0") }
    try worker.runDue()
    let next = try database.read { try $0.value("SELECT run_at FROM jobs", as: Instant.self) }
    #expect(next == clock.now().adding(seconds: 900))
  }

  @Test("Jobs delayed or claimed while the clock was ahead run once it is right again")
  func clockRanAhead() throws {
    let runs = Mutex<[String: Int]>([:])
    let count: @Sendable (String) -> Void = { name in
      runs.withLock { $0[name, default: 0] += 1 }
    }
    let kinds: [JobKind] = [
      .recurring("scan", every: 900, isPunctual: true) { _ in count("scan") },
      .recurring("tidy", every: 3600) { _ in count("tidy") },
      JobKind("mail") { _, _ in
        count("mail")
        return .done
      },
    ]
    let worker = worker(kinds)
    let right = clock.now()
    clock.advance(seconds: .days(365))
    try worker.runDue()
    _ = try add("mail")
    let store = JobStore(database: database)
    clock.advance(seconds: 1800)
    // A worker that dies during the scan.
    let taken = Mutex<[String]>([])
    while let job = try store.claim(
      Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) }), now: clock.now())
    {
      taken.withLock { $0.append(job.kind) }
    }
    #expect(Set(taken.withLock { $0 }) == ["scan", "mail"])
    clock.set(right.adding(seconds: 60))
    try worker.runDue()
    #expect(runs.withLock { $0 } == ["scan": 2, "tidy": 2, "mail": 1])
    // And only once.
    try worker.runDue()
    #expect(runs.withLock { $0["tidy"] } == 2)
  }

  @Test("A job corrected, and maybe claimed, by another worker is left alone")
  func putRightMeanwhile() throws {
    let kinds = [JobKind("mail") { _, _ in .done }]
    _ = try add("mail", key: "first", after: .days(365))
    _ = try add("mail", key: "second", after: .days(366))
    // Another worker claims the second job, for a minute, after it was found and before its turn.
    let lease = clock.now().adding(seconds: 60)
    // Triggers cannot have parameters.
    let milliseconds = Query(stringLiteral: "\(lease.milliseconds)")
    try database.write {
      try $0.execute(
        """
        CREATE TRIGGER another AFTER UPDATE ON jobs WHEN NEW.unique_key = 'first'
        BEGIN
          UPDATE jobs SET run_at = \(milliseconds), lease = x'01'
          WHERE unique_key = 'second';
        END
        """)
    }
    try JobStore(database: database).correct(kinds, now: clock.now())
    let found = try database.read {
      try $0.rows("SELECT unique_key, run_at, lease IS NULL FROM jobs ORDER BY unique_key") {
        (
          key: try $0.next(String.self), runAt: try $0.next(Instant.self),
          isFree: try $0.next(Int.self) == 1
        )
      }
    }
    #expect(found.map(\.key) == ["first", "second"])
    #expect(found.map(\.runAt) == [clock.now(), lease])
    #expect(found.map(\.isFree) == [true, false])
  }

  @Test("Many workers share a queue, and each job is done by one of them")
  func manyWorkers() async throws {
    let done = Mutex<[String: Int]>([:])
    let kinds = [
      JobKind("a") { job, _ in
        done.withLock { $0[job.id.description, default: 0] += 1 }
        return .done
      }
    ]
    for _ in 0..<100 { _ = try add("a") }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        let worker = worker(kinds)
        group.addTask { _ = try? worker.runDue() }
      }
    }
    #expect(done.withLock { $0.count } == 100)
    #expect(done.withLock { $0.values.allSatisfy { $0 == 1 } })
  }
}
