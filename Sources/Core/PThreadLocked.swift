import Glibc

/// A value that many threads get at many times a second, one at a time.
///
/// Swift's own `Mutex` hands itself on to who waits, who has to be woken first: with more threads
/// than processors all of them end up waiting for each other (half of the pages a second, with 16
/// threads on two processors). The lock of POSIX is there for whoever runs.
///
/// Sendable because `value` comes from nobody else (`sending`) and is touched between `lock` and
/// `unlock` alone.
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

  /// Has `body` alone with the value; it must not ask for the same one again.
  public func withLock<Result>(
    _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
