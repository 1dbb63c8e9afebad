import Core
import Database
import Foundation
import Logging
import Synchronization
import Testing

@testable import Live

/// Records what is sent, unless nginx is down or refuses a channel.
private final class FakeNchan: LiveSender {
  struct Down: Error {}

  private let heard = Mutex<[String]>([])
  private let refused = Mutex<Set<String>>([])
  private let down = Atomic(false)

  var isDown: Bool {
    get { down.load(ordering: .relaxed) }
    set { down.store(newValue, ordering: .relaxed) }
  }

  func refuse(_ channels: Set<String>) { refused.withLock { $0 = channels } }

  func notify(_ version: Int, to channel: LiveChannel) throws {
    try hear(channel, "\(version)")
  }

  func cut(_ channel: LiveChannel) throws {
    try hear(channel, "cut")
  }

  private func hear(_ channel: LiveChannel, _ words: String) throws {
    if isDown { throw Down() }
    if refused.withLock({ $0.contains(channel.name) }) { throw LiveSendError(status: 500) }
    heard.withLock { $0.append("\(channel.name) \(words)") }
  }

  func take() -> [String] {
    heard.withLock { heard in
      defer { heard = [] }
      return heard
    }
  }
}

@Suite("Changes are sent to listeners")
struct LiveTests {
  private let database: Database
  private let ear = FakeNchan()
  private let clock = ManualClock(Instant(milliseconds: 1_772_409_600_000))
  private let dispatcher: LiveDispatcher
  private let outbox: LiveOutbox
  private let walk: LiveChannel
  private let market: LiveChannel

  init() throws {
    database = try Database(path: NSTemporaryDirectory() + "live-\(UUID().uuidString).sqlite")
    try database.migrate(LiveSchema.migrations)
    outbox = LiveOutbox(database: database)
    dispatcher = LiveDispatcher(
      outbox: outbox, sender: ear, clock: clock, logger: Logger(label: "test"))
    walk = try #require(LiveChannel("g.walk"))
    market = try #require(LiveChannel("g.market"))
  }

  private func notify(_ version: Int, to channel: LiveChannel) throws {
    try database.write { try LiveOutbox.notify(version, to: channel, now: clock.now(), in: $0) }
  }

  private func cut(_ channel: LiveChannel) throws {
    try database.write { try LiveOutbox.cut(channel, now: clock.now(), in: $0) }
  }

  private func advance(milliseconds: Int64) {
    clock.set(Instant(milliseconds: clock.now().milliseconds + milliseconds))
  }

  private func rows() throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM live_news") }
  }

  @Test("A change is sent once")
  func once() throws {
    try notify(3, to: walk)
    #expect(try dispatcher.sendDue().sent == 1)
    #expect(ear.take() == ["g.walk 3"])
    clock.advance(seconds: 10)
    #expect(try dispatcher.sendDue().sent == 0)
    #expect(ear.take() == [])
    #expect(try rows() == 0)
  }

  @Test("A rolled-back change is not sent")
  func undone() throws {
    struct Undone: Error {}
    _ = try? database.write { writer in
      try LiveOutbox.notify(3, to: walk, now: clock.now(), in: writer)
      throw Undone()
    }
    #expect(try dispatcher.sendDue().sent == 0)
  }

  @Test("Changes made while nothing could be sent are sent at once, as the newest version")
  func joined() throws {
    try notify(3, to: walk)
    try notify(4, to: walk)
    try notify(9, to: market)
    try dispatcher.sendDue()
    #expect(
      Set(ear.take()) == [
        "g.walk 4",
        "g.market 9",
      ])
  }

  @Test("While nginx is down it waits, a row a channel, and is sent when nginx is back")
  func down() throws {
    ear.isDown = true
    for version in 1...50 { try notify(version, to: walk) }
    let round = try dispatcher.sendDue()
    #expect(round.sent == 0 && !round.isReached && !round.hasMore && round.failure != nil)
    #expect(try outbox.count() == 1)
    ear.isDown = false
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.walk 50"])
    #expect(try outbox.count() == 0)
  }

  @Test("A change made during sending is sent again")
  func meanwhile() throws {
    try notify(3, to: walk)
    let begun = try outbox.due(now: clock.now(), limit: 10)
    try notify(4, to: walk)
    try outbox.record(LiveOutbox.Outcome(sent: begun.entries), now: clock.now())
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.walk 4"])
  }

  @Test("A channel that changes all the time is sent in its turn, with pauses in between")
  func resting() throws {
    try notify(1, to: walk)
    try dispatcher.sendDue()
    for step in 2...4 {
      advance(milliseconds: 100)
      try notify(step, to: walk)
      try dispatcher.sendDue()
    }
    #expect(ear.take() == ["g.walk 1"])
    // No other channel waits for that.
    try notify(7, to: market)
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.market 7"])
    advance(milliseconds: LiveDispatcher.rest - 300)
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.walk 4"])
  }

  @Test("A clock that was ahead delays no channel")
  func clockSetBack() throws {
    clock.advance(seconds: .days(1))
    try notify(1, to: walk)
    try dispatcher.sendDue()
    try notify(2, to: walk)
    clock.advance(seconds: -.days(1))
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.walk 1", "g.walk 2"])
  }

  @Test("The longest waiting channel is sent first")
  func order() throws {
    for name in ["g.c", "g.a", "g.b"] {
      try notify(1, to: try #require(LiveChannel(name)))
      advance(milliseconds: 1)
    }
    try notify(2, to: try #require(LiveChannel("g.c")))
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.c 2", "g.a 1", "g.b 1"])
  }

  @Test("A refused channel blocks none behind it, and is tried again")
  func rejection() throws {
    ear.refuse(["g.walk"])
    try notify(3, to: walk)
    advance(milliseconds: 1)
    try notify(5, to: market)
    let round = try dispatcher.sendDue()
    #expect(round.sent == 1 && round.isReached && round.failure == "nginx answers 500")
    #expect(ear.take() == ["g.market 5"])
    #expect(try outbox.count() == 1)
    ear.refuse([])
    try dispatcher.sendDue()
    #expect(ear.take() == [])
    clock.advance(seconds: LiveOutbox.rest)
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.walk 3"])
  }

  @Test("A row that names no channel is deleted, and the others are sent")
  func unreadable() throws {
    try database.write {
      try $0.execute(
        "INSERT INTO live_news (channel, mark, version, cuts, due) VALUES ('A/b', x'00', 1, 0, 0)")
    }
    try notify(3, to: walk)
    #expect(try dispatcher.sendDue().failure != nil)
    #expect(ear.take() == ["g.walk 3"])
    #expect(try rows() == 0)
  }

  @Test("Streams are cut after the last update, and once more, since one may have just begun")
  func cutting() throws {
    try notify(3, to: walk)
    try cut(walk)
    advance(milliseconds: 1)
    try cut(market)
    try dispatcher.sendDue()
    #expect(ear.take() == ["g.walk 3", "g.walk cut", "g.market cut"])
    #expect(try outbox.count() == 0)
    advance(milliseconds: LiveOutbox.secondCut * 1000 - 1)
    try dispatcher.sendDue()
    #expect(ear.take() == [])
    advance(milliseconds: 1)
    try dispatcher.sendDue()
    #expect(ear.take().sorted() == ["g.market cut", "g.walk cut"])
    clock.advance(seconds: 60)
    try dispatcher.sendDue()
    #expect(ear.take() == [])
    #expect(try rows() == 0)
  }

  @Test("The largest group closes in one drain: all are notified, and each stream ends")
  func closing() throws {
    let members = try (1...250).map { try #require(LiveChannel("m.walk.\($0)")) }
    let now = clock.now()
    try database.write { writer in
      for member in members { try LiveOutbox.cut(member, now: now, in: writer) }
      try LiveOutbox.notify(9, to: walk, now: now, in: writer)
    }
    try dispatcher.drain()
    let heard = ear.take()
    // The update comes before the end.
    #expect(heard.first == "g.walk 9")
    #expect(Set(heard) == Set(members.map { "\($0.name) cut" } + ["g.walk 9"]))
    #expect(heard.count == 251)
  }

  @Test("Everything that can be sent is sent, though other channels are refused or down")
  func draining() throws {
    let channels = try (1...3 * LiveDispatcher.batch).map { try #require(LiveChannel("g.\($0)")) }
    ear.refuse(Set(channels.prefix(LiveDispatcher.batch + 1).map(\.name)))
    for channel in channels {
      try notify(1, to: channel)
      advance(milliseconds: 1)
    }
    try dispatcher.drain()
    #expect(ear.take().count == 2 * LiveDispatcher.batch - 1)
    ear.isDown = true
    try dispatcher.drain()
    #expect(try outbox.count() == LiveDispatcher.batch + 1)
  }

  @Test("Without nginx waiting updates are deleted after an hour")
  func oldRows() throws {
    ear.isDown = true
    try notify(1, to: walk)
    try cut(try #require(LiveChannel("m.walk.1")))
    clock.advance(seconds: LiveOutbox.oldest - 1)
    try notify(2, to: market)
    try dispatcher.drain()
    #expect(try rows() == 3)
    clock.advance(seconds: 2)
    try dispatcher.drain()
    #expect(try rows() == 1)
  }

  @Test("The dispatcher sends by itself, and stops on request")
  func running() throws {
    let dispatcher = dispatcher
    let thread = Thread { dispatcher.run() }
    thread.start()
    try notify(3, to: walk)
    var heard: [String] = []
    var end = ContinuousClock.now + .seconds(30)
    while heard.isEmpty, ContinuousClock.now < end {
      usleep(10_000)
      heard = ear.take()
    }
    #expect(heard.count == 1)
    dispatcher.stop()
    end = ContinuousClock.now + .seconds(30)
    while !thread.isFinished, ContinuousClock.now < end { usleep(10_000) }
    #expect(thread.isFinished)
  }

  @Test("Under load the dispatcher pauses: changes made in the pause are sent together")
  func breathing() throws {
    let dispatcher = LiveDispatcher(
      outbox: outbox, sender: ear, clock: SystemClock(), logger: Logger(label: "test"))
    let thread = Thread { dispatcher.run() }
    thread.start()
    let begun = ContinuousClock.now
    var version = 0
    while ContinuousClock.now - begun < .seconds(1) {
      version += 1
      try database.write {
        try LiveOutbox.notify(version, to: walk, now: SystemClock().now(), in: $0)
      }
    }
    var heard: [String] = []
    let end = ContinuousClock.now + .seconds(30)
    while heard.last != "g.walk \(version)", ContinuousClock.now < end {
      usleep(10_000)
      heard += ear.take()
    }
    dispatcher.stop()
    let seconds = Double((ContinuousClock.now - begun).components.seconds) + 1
    #expect(heard.last == "g.walk \(version)")
    #expect(Double(heard.count) <= seconds * 1000 / Double(LiveDispatcher.rest) + 1)
  }

  @Test(
    "A name that would mean something else to nginx is none",
    arguments: [
      "", "a/b", "a b", "A", "a?b", "../x", "a\n", "ä", String(repeating: "a", count: 101),
    ])
  func names(name: String) {
    #expect(LiveChannel(name) == nil)
  }

  @Test("A stream's address is made of two channels")
  func stream() {
    #expect(LiveChannel.stream(walk, market) == "/live/g.walk/g.market")
  }
}
