/// A cache of ready bytes with a limit of memory. An entry never changes: everything that its bytes
/// depend on is in its key.
///
/// It has two halves. When the recent one is full it becomes the older one, and what was not asked
/// for since then is dropped.
public final class ByteCache<Key: Hashable & Sendable>: Sendable {
  private struct Halves {
    var recent: [Key: [UInt8]] = [:]
    var older: [Key: [UInt8]] = [:]
    var recentBytes = 0
  }

  /// Approximate memory of an entry besides its bytes.
  private static var overhead: Int { 200 }

  private let half: Int
  private let halves = PThreadLocked(Halves())

  /// Keeps at most about `maximumBytes` bytes.
  public init(maximumBytes: Int) {
    half = maximumBytes / 2
  }

  /// The bytes of each key; nil where there are none.
  public func values(_ keys: [Key]) -> [[UInt8]?] {
    halves.withLock { halves in
      keys.map { key in
        if let bytes = halves.recent[key] { return bytes }
        guard let bytes = halves.older[key] else { return nil }
        put(bytes, key, in: &halves)
        return bytes
      }
    }
  }

  public func put(_ bytes: [UInt8], for key: Key) {
    halves.withLock { put(bytes, key, in: &$0) }
  }

  private func put(_ bytes: [UInt8], _ key: Key, in halves: inout Halves) {
    let size = bytes.count + Self.overhead
    guard size <= half else { return }
    if halves.recentBytes + size > half {
      halves.older = halves.recent
      halves.recent = [:]
      halves.recentBytes = 0
    }
    if halves.recent.updateValue(bytes, forKey: key) == nil { halves.recentBytes += size }
  }
}
