import Foundation
import Synchronization
import Testing

@testable import Secrets

/// A thread that occupies a hasher until it is released.
private final class Holder: Sendable {
  private let holding = DispatchSemaphore(value: 0)
  private let unblock = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  init(_ hasher: PasswordHasher) {
    let thread = Thread { [holding, unblock, done] in
      try? hasher.withSlot {
        holding.signal()
        unblock.wait()
      }
      done.signal()
    }
    thread.start()
    holding.wait()
  }

  func release() {
    unblock.signal()
    done.wait()
  }
}

@Suite("Turns at hashing")
struct PasswordConcurrencyTests {
  private static func hasher(
    concurrent: Int, waiting: Int, maximumWait: Double
  ) throws -> PasswordHasher {
    try PasswordHasher(
      key: [7], cost: 4, concurrent: concurrent, waiting: waiting, maximumWait: maximumWait)
  }

  @Test("A caller that would wait too long is refused as busy, and later gets a turn")
  func busy() throws {
    let hasher = try Self.hasher(concurrent: 1, waiting: 8, maximumWait: 0.05)
    let hash = try hasher.hash("correct horse")
    let holder = Holder(hasher)
    #expect(throws: PasswordHashingError.busy) { try hasher.hash("correct horse") }
    #expect(throws: PasswordHashingError.busy) {
      try hasher.verify("correct horse", against: hash)
    }
    holder.release()
    #expect(try hasher.verify("correct horse", against: hash))
  }

  @Test("A caller that finds the queue full is refused at once")
  func fullLine() throws {
    // One that waited would do so for longer than a run of tests may take.
    let hasher = try Self.hasher(concurrent: 1, waiting: 0, maximumWait: 86_400)
    let holder = Holder(hasher)
    #expect(throws: PasswordHashingError.busy) { try hasher.hash("correct horse") }
    holder.release()
    #expect(throws: Never.self) { try hasher.hash("correct horse") }
  }

  @Test("No more than the allowed number are at it at once, and all are served")
  func bound() throws {
    let hasher = try Self.hasher(concurrent: 2, waiting: 32, maximumWait: 30)
    let atWork = Mutex((now: 0, maximum: 0))
    let finished = DispatchSemaphore(value: 0)
    let served = Mutex(0)
    for _ in 0..<12 {
      let thread = Thread {
        try? hasher.withSlot {
          atWork.withLock { $0 = ($0.now + 1, max($0.maximum, $0.now + 1)) }
          usleep(2000)
          atWork.withLock { $0.now -= 1 }
          served.withLock { $0 += 1 }
        }
        finished.signal()
      }
      thread.start()
    }
    for _ in 0..<12 { finished.wait() }
    #expect(served.withLock { $0 } == 12)
    #expect(atWork.withLock { $0.maximum } == 2)
  }

  @Test("A refused password gives its turn back")
  func givesBack() throws {
    let hasher = try Self.hasher(concurrent: 1, waiting: 0, maximumWait: 0.05)
    for _ in 0..<3 {
      #expect(throws: PasswordHashingError.unusable) { try hasher.hash("a\0b") }
    }
    #expect(throws: Never.self) { try hasher.hash("correct horse") }
  }
}
