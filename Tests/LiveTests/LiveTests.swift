import Basics
import Database
import Foundation
import Logging
import Synchronization
import Testing

@testable import Live

/// Keeps what it is told, unless nginx is down.
private final class Ear: LiveSender {
  struct Down: Error {}

  private let heard = Mutex<[String]>([])
  private let down = Atomic(false)

  var isDown: Bool {
    get { down.load(ordering: .relaxed) }
    set { down.store(newValue, ordering: .relaxed) }
  }

  func tell(_ version: Int, to channel: LiveChannel) throws {
    if isDown { throw Down() }
    heard.withLock { $0.append("\(channel.name) \(version)") }
  }

  func cut(_ channel: LiveChannel) throws {
    if isDown { throw Down() }
    heard.withLock { $0.append("\(channel.name) cut") }
  }

  func take() -> [String] {
    heard.withLock { heard in
      defer { heard = [] }
      return heard
    }
  }
}

@Suite("What changes is told to who listens")
struct LiveTests {
  private let database: Database
  private let ear = Ear()
  private let pump: LivePump
  private let outbox: LiveOutbox
  private let now = Instant(milliseconds: 1_772_409_600_000)
  private let walk: LiveChannel
  private let market: LiveChannel

  init() throws {
    database = try Database(path: NSTemporaryDirectory() + "live-\(UUID().uuidString).sqlite")
    try database.migrate(LiveSchema.migrations)
    outbox = LiveOutbox(database: database)
    pump = LivePump(outbox: outbox, sender: ear, logger: Logger(label: "test"))
    walk = try #require(LiveChannel("g.walk"))
    market = try #require(LiveChannel("g.market"))
  }

  private func tell(_ version: Int, to channel: LiveChannel) throws {
    try database.write { try LiveOutbox.tell(version, to: channel, now: now, in: $0) }
  }

  @Test("A change is told once")
  func once() throws {
    try tell(3, to: walk)
    #expect(try pump.tellSome())
    #expect(ear.take() == ["g.walk 3"])
    #expect(try !pump.tellSome())
    #expect(ear.take() == [])
  }

  @Test("What is undone is told to nobody")
  func undone() throws {
    struct Undone: Error {}
    _ = try? database.write { writer in
      try LiveOutbox.tell(3, to: walk, now: now, in: writer)
      throw Undone()
    }
    #expect(try !pump.tellSome())
  }

  @Test("What came while nobody was told is told at once, as the newest version")
  func joined() throws {
    try tell(3, to: walk)
    try tell(4, to: walk)
    try tell(9, to: market)
    try pump.tellSome()
    #expect(
      Set(ear.take()) == [
        "g.walk 4",
        "g.market 9",
      ])
  }

  @Test("While nginx is down it waits, a row a channel, and is told when nginx is back")
  func down() throws {
    ear.isDown = true
    for version in 1...50 { try tell(version, to: walk) }
    #expect(throws: Ear.Down.self) { try pump.tellSome() }
    #expect(try outbox.count() == 1)
    ear.isDown = false
    try pump.tellSome()
    #expect(ear.take() == ["g.walk 50"])
    #expect(try outbox.count() == 0)
  }

  @Test("What changes while it is being told is told again")
  func meanwhile() throws {
    try tell(3, to: walk)
    let begun = try outbox.waiting()
    try tell(4, to: walk)
    try outbox.remove(begun)
    try pump.tellSome()
    #expect(ear.take() == ["g.walk 4"])
  }

  @Test("Streams are cut after what was to be told, and that is over then")
  func cutting() throws {
    try tell(3, to: walk)
    try database.write { try LiveOutbox.cut(walk, now: now, in: $0) }
    try database.write { try LiveOutbox.cut(market, now: now, in: $0) }
    try pump.tellSome()
    #expect(
      ear.take() == [
        "g.market cut", "g.walk 3", "g.walk cut",
      ])
    #expect(try outbox.count() == 0)
    try tell(4, to: walk)
    try pump.tellSome()
    #expect(ear.take() == ["g.walk 4"])
  }

  @Test("The pump tells by itself, and ends when it is asked to")
  func running() throws {
    let pump = pump
    let thread = Thread { pump.run() }
    thread.start()
    try tell(3, to: walk)
    var heard: [String] = []
    let end = ContinuousClock.now + .seconds(5)
    while heard.isEmpty, ContinuousClock.now < end {
      usleep(10_000)
      heard = ear.take()
    }
    #expect(heard.count == 1)
    pump.stop()
    while !thread.isFinished, ContinuousClock.now < end { usleep(10_000) }
    #expect(thread.isFinished)
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
