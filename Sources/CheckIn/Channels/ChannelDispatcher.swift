import Core
import Database
import Foundation
import Glibc
import Jobs
import Mail
import Synchronization

/// Sends the messages to contacts by channels, on a thread of its own: neither mail nor the scan
/// waits for a service outside. Several dispatchers may share the queue.
public final class ChannelDispatcher: Sendable {
  /// The number of messages of one child process.
  static let batch = 25
  /// How long a dispatcher holds messages, in s; longer than a child may take.
  static let lease: Int64 = 120
  /// Delays before retries, in s. After them the channel counts as failing.
  static let delays: [Int64] = [60, .minutes(5), .minutes(30)]
  /// The name of the heartbeat that says that Apprise can be started.
  static let heartbeat = "channels"
  /// The time between two heartbeats, in s.
  static let every: Int64 = .hours(1)
  /// The pause between two looks, in µs.
  private static let pause: UInt32 = 1_000_000

  private let services: CheckInEnvironment
  private let sender: any ChannelSender
  private let stopping = Atomic(false)

  init(services: CheckInEnvironment, sender: any ChannelSender) {
    self.services = services
    self.sender = sender
  }

  /// Sends until `stop`.
  public func run() {
    // Independent of a clock that is set back.
    var nextBeat = ContinuousClock.now
    while !stopping.load(ordering: .relaxed) {
      do {
        if try sendBatch() { continue }
        if ContinuousClock.now >= nextBeat {
          nextBeat = ContinuousClock.now.advanced(by: .seconds(Self.every))
          try beat(now: services.site.clock.now())
        }
      } catch {
        // A locked database or a full disk is temporary.
        services.site.logger.error("channels: \(error)")
      }
      usleep(Self.pause)
    }
  }

  public func stop() { stopping.store(true, ordering: .relaxed) }

  /// Sends all messages that are due.
  public func sendDue() throws {
    while try sendBatch() {}
  }

  /// Tells `CheckInHealth` that Apprise can be started.
  func beat(now: Instant) throws {
    guard services.channelOffers.hasApprise, sender.isReady() else { return }
    try JobStore(database: services.site.database).beat(Self.heartbeat, now: now)
  }

  /// False if no message was due.
  private func sendBatch() throws -> Bool {
    let database = services.site.database
    let now = services.site.clock.now()
    // After a restore an alert waits, since check-ins since the backup are unknown, and while a
    // watchman may have sent it.
    func withAlerts(_ reader: ReadTransaction) throws -> Bool {
      try services.outages.restoredUntil(now: now, in: reader) == nil
        && WatchmanService(services: services).isSettled(now: now, in: reader)
    }
    let hasDue = try database.read {
      try services.channels.hasDue(withAlerts: withAlerts($0), now: now, in: $0)
    }
    guard hasDue else { return false }
    let ready = try database.write { writer in
      let claimed = try services.channels.claim(
        until: now.adding(seconds: Self.lease), limit: Self.batch,
        withAlerts: withAlerts(writer), now: now, in: writer)
      let writing = ChannelMessageWriter(services: services)
      var ready: [(message: ChannelMessage, text: OutgoingMessage)] = []
      for message in claimed {
        if let text = try writing.text(of: message, now: now, in: writer) {
          ready.append((message, text))
        } else {
          try services.channels.end(message, .recalled, error: nil, now: now, in: writer)
        }
      }
      return ready
    }
    guard !ready.isEmpty else { return true }
    let results = sender.results(of: ready.map(\.text), services.site.logger)
    try note(ready.map(\.message), results, now: services.site.clock.now())
    return true
  }

  /// Records the results of messages, again if another process holds the database. What was sent and
  /// cannot be recorded otherwise is at least not sent again.
  private func note(
    _ messages: [ChannelMessage], _ results: [ChannelResult], now: Instant
  ) throws {
    let database = services.site.database
    func noteAll() throws {
      try database.write { writer in
        for (message, result) in zip(messages, results) {
          if result == .untried {
            try services.channels.release(message, now: now, in: writer)
          } else {
            try note(message, isSent: result == .sent, now: now, in: writer)
          }
        }
      }
    }
    do {
      do { try noteAll() } catch StorageError.busy { try noteAll() }
    } catch {
      // The first error is the one to report; if this fails too, they are sent once more.
      try? database.write { writer in
        for (message, result) in zip(messages, results) where result == .sent {
          try end(message, .sent, error: nil, now: now, in: writer)
        }
      }
      throw error
    }
  }

  private func note(
    _ message: ChannelMessage, isSent: Bool, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let id = message.channel, let channel = try services.channels.find(id, in: writer),
      !channel.isRemoved || message.kind == .allClear
    else { return try noteRemoved(message, isSent: isSent, now: now, in: writer) }
    let error = "the service did not take it"
    if !isSent, message.attempts <= Self.delays.count {
      return try services.channels.postpone(
        message, to: now.adding(seconds: Self.delays[message.attempts - 1]), error: error,
        in: writer)
    }
    try end(
      message, isSent ? .sent : .givenUp, error: isSent ? nil : error, now: now, in: writer)
    try services.channels.record(isSent: isSent, of: id, now: now, in: writer)
    try services.record.add(
      isSent ? .sent : .failed, contact: channel.contact,
      detail: "\(message.kind.rawValue) \(channel.offer)", of: channel.person, now: now,
      in: writer)
    if !isSent, message.kind == .alert {
      // The next means is used at once.
      try EscalationService(services: services).advance(channel.person, now: now, in: writer)
    }
  }

  /// Records a message whose channel was removed while it was being sent.
  private func noteRemoved(
    _ message: ChannelMessage, isSent: Bool, now: Instant, in writer: WriteTransaction
  ) throws {
    try services.channels.end(message, .recalled, error: nil, now: now, in: writer)
    guard isSent,
      let offer = try services.channels.noteSentAfterRecall(message, now: now, in: writer)
    else { return }
    try services.record.add(
      .sent, contact: message.contact, detail: "\(message.kind.rawValue) \(offer)",
      of: message.person, now: now, in: writer)
    guard message.kind == .alert, let contact = message.contact,
      let alert = try services.alerts.all(of: message.person, in: writer)
        .first(where: { $0.id == message.alert }),
      try !services.alerts.open(of: message.person, in: writer)
        .contains(where: { $0.id == alert.id }),
      let card = try services.people.card(message.person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer)
    else { return }
    // The alert ended meanwhile, too.
    try AlertService(services: services).clear(
      contact, reachedBy: message.channel, of: alert, card, monitor, now: now, in: writer)
  }

  /// Records the end of a message. An alert that ended while its message was being sent is followed by
  /// the all-clear, one that is still open is not: another worker or a watchman sent the same.
  private func end(
    _ message: ChannelMessage, _ state: ContactMailState, error: String?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let isCurrent = try services.channels.end(
      message, state, error: error, now: now, in: writer)
    guard state == .sent, !isCurrent, message.kind == .alert,
      let channel = try message.channel.flatMap({ try services.channels.find($0, in: writer) })
    else { return }
    let open = try services.alerts.open(of: channel.person, in: writer)
    if open.contains(where: { $0.id == message.alert }) {
      try services.channels.noteSentAfterRecall(message, now: now, in: writer)
    } else {
      try services.channels.queue(.allClear, by: channel, now: now, in: writer)
    }
  }
}
