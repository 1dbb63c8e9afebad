import Core
import Database
import Glibc
import Logging
import Synchronization

/// Runs due jobs one after the other; any number of workers may share a queue.
public final class Worker: Sendable {
  /// The name of the heartbeat of workers for all jobs without a queue of their own.
  public static let heartbeat = "worker"
  /// The interval of heartbeats, in s; there is none during a long job.
  static let beatEvery: Int64 = 10

  private let store: JobStore
  private let kinds: [String: JobKind]
  private let queue: JobQueue
  private let clock: any Clock
  private let logger: Logger
  private let stopping = Atomic(false)

  public init(
    store: JobStore, kinds: [JobKind], queue: JobQueue = .all, clock: any Clock, logger: Logger
  ) {
    self.store = store
    self.queue = queue
    self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    self.clock = clock
    self.logger = logger
  }

  /// Runs jobs until `stop`; looks for due ones every half second.
  public func run() {
    var lastBeat: Instant?
    var hasStarted = false
    while !stopping.load(ordering: .relaxed) {
      let now = clock.now()
      do {
        if lastBeat.map({ now.seconds(since: $0) >= Self.beatEvery || now < $0 }) ?? true {
          try startTimetable(now: now)
          if !hasStarted { try store.makeDue(atStart, now: now) }
          hasStarted = true
          try store.beat(queue.heartbeat, now: now)
          lastBeat = now
        }
        if try workOnce() { continue }
      } catch {
        // A locked database or a full disk is temporary; a worker that ended would not be
        // restarted.
        logger.error("worker: \(error)")
      }
      usleep(500_000)
    }
  }

  /// Runs all jobs that are due now, and ends (`pairspot worker --once`); returns their number.
  @discardableResult
  public func runDue() throws -> Int {
    try startTimetable(now: clock.now())
    try store.makeDue(atStart, now: clock.now())
    try store.beat(queue.heartbeat, now: clock.now())
    var count = 0
    while try workOnce() { count += 1 }
    return count
  }

  /// Ends `run` after the current job.
  public func stop() {
    stopping.store(true, ordering: .relaxed)
  }

  /// False if no job was due.
  private func workOnce() throws -> Bool {
    guard let job = try store.claim(kinds, queue: queue, now: clock.now()) else { return false }
    try store.finish(job, outcome(of: job), now: clock.now())
    return true
  }

  private func outcome(of job: Job) -> JobOutcome {
    guard let kind = kinds[job.kind] else {
      return .retry(after: .hours(1), because: "no such kind of job here")
    }
    do {
      return try kind.run(job, clock.now())
    } catch {
      logger.error("job \(job.kind): \(error)", metadata: ["attempts": "\(job.attempts)"])
      return .retry(after: kind.retryDelay(attempts: job.attempts), because: "\(error)")
    }
  }

  /// The kinds of this queue: a busy queue must not delay the recurring jobs of another one.
  private var own: [JobKind] { kinds.values.filter { queue.has($0.name) } }

  private var atStart: [String] { own.filter(\.runsAtStart).map(\.name) }

  private func startTimetable(now: Instant) throws {
    try store.ensure(own.filter(\.recurs).map(\.name), now: now)
    try store.correct(own, now: now)
  }
}
