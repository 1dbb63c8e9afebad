import Core
import Glibc
import Logging
import Synchronization

/// Tells what is to be told, on a thread of its own: nobody ever waits for it, and while nginx is
/// down what waits grows by one row a channel at most. Any number may share an outbox: to be told
/// of a version twice harms nobody.
public final class LiveDispatcher: Sendable {
  /// How long it looks away, in ms; and at most, doubling, while nobody takes what it tells. What
  /// comes meanwhile is told, and taken out of the outbox, together.
  private static let pause: UInt32 = 100
  private static let longestPause: UInt32 = 3200
  /// A channel is told of versions at most so often, in ms: in a large group on the way somebody
  /// moves all the time, and everybody asks what is new each time. With the pause this leaves half
  /// of the second in which a change reaches everybody.
  static let rest: Int64 = 400
  /// How many channels are told before what was told is taken out.
  static let batch = 200
  /// A failure is told of at most so often, in s.
  private static let warnEvery: Int64 = 60

  private let outbox: LiveOutbox
  private let sender: any LiveSender
  private let clock: any Clock
  private let logger: Logger
  private let stopping = Atomic(false)
  /// When channels were told that may not be told again yet.
  private let resting = Mutex<[LiveChannel: Instant]>([:])

  /// `clock` is the one by which changes are written.
  public init(
    outbox: LiveOutbox, sender: any LiveSender, clock: any Clock, logger: Logger
  ) {
    self.outbox = outbox
    self.sender = sender
    self.clock = clock
    self.logger = logger
  }

  /// Tells until `stop`.
  public func run() {
    var pause = Self.pause
    var warnedAt: Instant?
    while !stopping.load(ordering: .relaxed) {
      let failure: String?
      do {
        let round = try tellSome()
        failure = round.failure
        if round.isReached {
          if pause > Self.pause { logger.info("live: nginx answers again") }
          pause = Self.pause
        } else {
          pause = min(pause * 2, Self.longestPause)
        }
        if round.hasMore { continue }
      } catch {
        // A locked database or a full disk passes.
        failure = "\(error)"
      }
      let now = clock.now()
      if let failure, warnedAt.map({ abs(now.seconds(since: $0)) >= Self.warnEvery }) ?? true {
        logger.warning("live: \(failure)")
        warnedAt = now
      }
      usleep(pause * 1000)
    }
  }

  /// Ends `run` soon.
  public func stop() {
    stopping.store(true, ordering: .relaxed)
  }

  /// Tells what is due now as far as somebody takes it, and ends (`pairspot worker --once`); the
  /// rest waits on. Throws `StorageError`.
  public func drain() throws {
    var round: Round
    repeat {
      round = try tellSome()
      if let failure = round.failure { logger.warning("live: \(failure)") }
    } while round.hasMore
  }

  /// What came of telling some.
  public struct Round: Sendable {
    /// How many channels were told.
    public let told: Int
    /// Why another one was not, in a line for a log.
    public let failure: String?
    /// Whether whom it tells was there.
    let isReached: Bool
    /// Whether more may be due already.
    let hasMore: Bool
  }

  /// Tells some of what is due. One channel that is refused keeps none from being told; what was
  /// not told waits on, for an hour at most. Throws `StorageError`.
  @discardableResult
  public func tellSome() throws -> Round {
    let now = clock.now()
    let batch = try outbox.due(now: now, limit: Self.batch)
    let resting = stillResting(now: now)
    var outcome = LiveOutbox.Outcome(unreadable: batch.unreadable)
    var failure: String?
    if !batch.unreadable.isEmpty {
      failure = "\(batch.unreadable.count) rows name no channel; they are dropped"
    }
    for entry in batch.entries where entry.cuts > 0 || resting[entry.channel] == nil {
      do {
        if let version = entry.version { try sender.tell(version, to: entry.channel) }
        if entry.cuts > 0 { try sender.cut(entry.channel) }
        outcome.told.append(entry)
      } catch let refusal as LiveSendError {
        outcome.refused.append(entry)
        failure = "\(refusal)"
      } catch {
        outcome.unreached = entry
        failure = "\(error)"
        break
      }
    }
    try outbox.settle(outcome, now: clock.now())
    if failure != nil { try outbox.forgetOld(now: now) }
    rest(outcome.told, now: now)
    let isReached = outcome.unreached == nil
    return Round(
      told: outcome.told.count, failure: failure, isReached: isReached,
      hasMore: batch.isFull && isReached && !outcome.isEmpty)
  }

  private func stillResting(now: Instant) -> [LiveChannel: Instant] {
    resting.withLock { resting in
      // A moment that is yet to come was seen on a clock that ran ahead.
      resting = resting.filter { 0..<Self.rest ~= now.milliseconds - $0.value.milliseconds }
      return resting
    }
  }

  private func rest(_ told: [LiveOutbox.Entry], now: Instant) {
    resting.withLock { resting in
      for entry in told where entry.version != nil { resting[entry.channel] = now }
    }
  }
}
