import Core
import Glibc
import Logging
import Synchronization

/// Sends the queued live events on a thread of its own: no request ever waits for it, and while
/// nginx is down, or does not reach Redis, the outbox grows by at most one row a channel. Any number
/// may share an outbox: sending a version twice is harmless.
public final class LiveDispatcher: Sendable {
  /// The pause between two rounds, in ms; it doubles up to the maximum while nginx is unreachable.
  /// Events that arrive in a pause are sent, and removed from the outbox, together.
  private static let pause: UInt32 = 100
  private static let maximumPause: UInt32 = 3200
  /// The minimum interval between two events of a channel, in ms: in a large group on the move
  /// positions change all the time, and every client fetches the news after each event. Together
  /// with the pause this leaves half of the second within which a change must reach every client.
  static let rest: Int64 = 400
  /// The number of channels that are sent before their rows are removed.
  static let batch = 200
  /// The minimum interval between two log lines about failures, in s.
  private static let warnEvery: Int64 = 60

  private let outbox: LiveOutbox
  private let sender: any LiveSender
  private let clock: any Clock
  private let logger: Logger
  private let stopping = Atomic(false)
  /// The times of the last events of channels that may not be sent again yet.
  private let throttled = Mutex<[LiveChannel: Instant]>([:])

  /// `clock` is the clock by which changes are written.
  public init(
    outbox: LiveOutbox, sender: any LiveSender, clock: any Clock, logger: Logger
  ) {
    self.outbox = outbox
    self.sender = sender
    self.clock = clock
    self.logger = logger
  }

  /// Sends events until `stop`.
  public func run() {
    var pause = Self.pause
    var warnedAt: Instant?
    while !stopping.load(ordering: .relaxed) {
      let failure: String?
      do {
        let round = try sendDue()
        failure = round.failure
        if round.isReached {
          if pause > Self.pause { logger.info("live: streams are available again") }
          pause = Self.pause
        } else {
          pause = min(pause * 2, Self.maximumPause)
        }
        if round.hasMore { continue }
      } catch {
        // A locked database or a full disk is temporary.
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

  /// Sends the events that are due now, as far as nginx accepts them, and ends (`pairspot worker
  /// --once`); the rest stays queued. Throws `StorageError`.
  public func drain() throws {
    var round: Round
    repeat {
      round = try sendDue()
      if let failure = round.failure { logger.warning("live: \(failure)") }
    } while round.hasMore
  }

  /// The result of a round.
  public struct Round: Sendable {
    /// The number of channels that were sent.
    public let sent: Int
    /// The reason why another one was not, as a line for a log.
    public let failure: String?
    /// Whether nginx was reachable.
    let isReached: Bool
    /// Whether more events may be due already.
    let hasMore: Bool
  }

  /// Sends some of the due events. A rejected channel doesn't stop the others; unsent events stay
  /// queued, for an hour at most. Throws `StorageError`.
  @discardableResult
  public func sendDue() throws -> Round {
    let now = clock.now()
    let throttled = stillThrottled(now: now)
    let batch = try outbox.due(now: now, limit: Self.batch) { throttled[$0] != nil }
    var outcome = LiveOutbox.Outcome(unreadable: batch.unreadable)
    var failure: String?
    if !batch.unreadable.isEmpty {
      failure = "\(batch.unreadable.count) rows name no channel; they are dropped"
    }
    for entry in batch.entries {
      do {
        if let version = entry.version { try sender.notify(version, to: entry.channel) }
        if entry.cuts > 0 { try sender.cut(entry.channel) }
        outcome.sent.append(entry)
      } catch let rejection as LiveSendError {
        outcome.refused.append(entry)
        failure = "\(rejection)"
      } catch {
        outcome.unreachableEntry = entry
        failure = "\(error)"
        break
      }
    }
    try outbox.record(outcome, now: clock.now())
    if failure != nil { try outbox.forgetOld(now: now) }
    rest(outcome.sent, now: now)
    let isReached = outcome.unreachableEntry == nil
    return Round(
      sent: outcome.sent.count, failure: failure, isReached: isReached,
      hasMore: batch.isFull && isReached && !outcome.isEmpty)
  }

  private func stillThrottled(now: Instant) -> [LiveChannel: Instant] {
    throttled.withLock { throttled in
      // A time in the future comes from a clock that was ahead.
      throttled = throttled.filter { 0..<Self.rest ~= now.milliseconds - $0.value.milliseconds }
      return throttled
    }
  }

  private func rest(_ sent: [LiveOutbox.Entry], now: Instant) {
    throttled.withLock { throttled in
      for entry in sent where entry.version != nil { throttled[entry.channel] = now }
    }
  }
}
