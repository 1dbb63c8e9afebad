import Core
import Dispatch
import Testing

@Suite struct PThreadLockedTests {
  @Test("Of many threads each has the value alone")
  func alone() {
    let sums = PThreadLocked((count: 0, copy: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 {
        sums.withLock { value in
          value.count += 1
          value.copy = value.count
        }
      }
    }
    #expect(sums.withLock { $0.count } == 80_000)
    #expect(sums.withLock { $0.copy } == 80_000)
  }

  @Test("An error of the body is rethrown, and the value is released")
  func thrown() {
    struct Rejection: Error {}
    let list = PThreadLocked<[Int]>([])
    #expect(throws: Rejection.self) {
      try list.withLock { value in
        value.append(1)
        throw Rejection()
      }
    }
    #expect(list.withLock { $0 } == [1])
  }
}
