import Glibc

/// A value behind a lock that many threads take many times a second.
///
/// Swift's own `Mutex` hands over to a waiting thread, which must be woken first. With more threads
/// than processors, all of them end up waiting for each other: half of the pages a second, with 16
/// threads on two processors. A POSIX mutex can be taken by a thread that is running.
///
/// Sendable because `value` has no other reference (`sending`) and is accessed only between `lock`
/// and `unlock`.
public final class PThreadLocked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with exclusive access to the value. The lock is not recursive.
  public func withLock<Result>(
    _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
