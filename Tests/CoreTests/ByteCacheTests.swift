import Core
import Testing

@Suite("A cache of bytes")
struct ByteCacheTests {
  private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

  @Test("It has what was put into it, and nothing else")
  func values() {
    let cache = ByteCache<String>(maximumBytes: 10_000)
    cache.put([1], for: "a")
    cache.put([2], for: "b")
    #expect(cache.values(["b", "c", "a"]) == [[2], nil, [1]])
  }

  @Test("It drops what was not asked for, and keeps what was")
  func dropping() {
    let cache = ByteCache<Int>(maximumBytes: 10_000)
    for key in 0..<1000 {
      cache.put(bytes(800), for: key)
      #expect(cache.values([0]) == [bytes(800)])
    }
    let left = cache.values(Array(0..<1000)).count { $0 != nil }
    #expect(left > 4 && left <= 11)
  }

  @Test("It never holds more than its limit")
  func limit() {
    let cache = ByteCache<Int>(maximumBytes: 10_000)
    for key in 0..<100 { cache.put(bytes(1), for: key) }
    #expect(cache.values(Array(0..<100)).count { $0 != nil } <= 50)
    cache.put(bytes(6000), for: 100)
    #expect(cache.values([100]) == [nil])
  }

  @Test("Putting the same key again takes no more room")
  func again() {
    let cache = ByteCache<Int>(maximumBytes: 10_000)
    cache.put([1], for: 1)
    for _ in 0..<1000 { cache.put([2], for: 2) }
    #expect(cache.values([1, 2]) == [[1], [2]])
  }
}
