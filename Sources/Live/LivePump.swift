import Glibc
import Logging
import Synchronization

/// Tells what is to be told, on a thread of its own: nobody ever waits for it, and while nginx is
/// down what waits grows by one row a channel at most. Any number may share an outbox: to be told
/// of a version twice harms nobody.
public final class LivePump: Sendable {
  /// How long it looks away, in ms; and at most, doubling, while nobody takes what it tells.
  private static let pause: UInt32 = 100
  private static let longestPause: UInt32 = 3200

  private let outbox: LiveOutbox
  private let sender: any LiveSender
  private let logger: Logger
  private let stopping = Atomic(false)

  public init(outbox: LiveOutbox, sender: any LiveSender, logger: Logger) {
    self.outbox = outbox
    self.sender = sender
    self.logger = logger
  }

  /// Tells until `stop`.
  public func run() {
    var pause = Self.pause
    while !stopping.load(ordering: .relaxed) {
      do {
        while try tellSome() {}
        if pause > Self.pause { logger.info("live: caught up") }
        pause = Self.pause
      } catch {
        // Once is enough: until it is well again nothing new is known.
        if pause == Self.pause { logger.warning("live: \(error)") }
        pause = min(pause * 2, Self.longestPause)
      }
      usleep(pause * 1000)
    }
  }

  /// Ends `run` soon.
  public func stop() {
    stopping.store(true, ordering: .relaxed)
  }

  /// Tells what waits; false when nothing did. Throws what keeps somebody from being told; it waits
  /// on then.
  @discardableResult
  public func tellSome() throws -> Bool {
    let entries = try outbox.waiting()
    guard !entries.isEmpty else { return false }
    var told: [LiveOutbox.Entry] = []
    let failure: (any Error)?
    do {
      for entry in entries {
        if let version = entry.version { try sender.tell(version, to: entry.channel) }
        if entry.cuts { try sender.cut(entry.channel) }
        told.append(entry)
      }
      failure = nil
    } catch {
      failure = error
    }
    if !told.isEmpty { try outbox.remove(told) }
    if let failure { throw failure }
    return true
  }
}
