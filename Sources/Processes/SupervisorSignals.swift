import Cprocess
import Glibc
import Synchronization

/// Turns signals into bytes in a pipe, so that one loop can wait for signals and timeouts together,
/// independently of other threads.
final class SupervisorSignals: Sendable {
  /// The pipe end that the handler writes to. One supervisor a process listens at a time.
  private static let writeEnd = Atomic<Int32>(-1)
  private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD]
  /// The byte that `askToRenew` writes: no signal has this number.
  private static let renewal = UInt8.max

  private let ends: (read: Int32, write: Int32)

  /// Throws `ChildProcess.CannotStart` without descriptors for a pipe.
  init() throws {
    var pipe: [Int32] = [-1, -1]
    guard pipe2(&pipe, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw ChildProcess.CannotStart(executable: "pipe", code: errno)
    }
    ends = (pipe[0], pipe[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  /// Blocks SIGUSR2, which would end the process, on this thread and on those that it starts, until
  /// a supervisor listens.
  static func blockUpgradeSignal() {
    mask(SIG_BLOCK)
    // The parent process may have set it to be ignored, which would hide the exit status of
    // children.
    signal(SIGCHLD, SIG_DFL)
  }

  private static func mask(_ how: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR2)
    pthread_sigmask(how, &set, nil)
  }

  /// Runs `body` while the watched signals write into the pipe instead of their previous actions.
  func whileListening(_ body: () -> Void) {
    Self.writeEnd.store(ends.write, ordering: .sequentiallyConsistent)
    let before = Self.watched.map { signal in
      var (new, old) = (sigaction(), sigaction())
      new.__sigaction_handler.sa_handler = { SupervisorSignals.handle($0) }
      new.sa_flags = SA_RESTART
      sigaction(signal, &new, &old)
      return old
    }
    Self.mask(SIG_UNBLOCK)
    body()
    // A signal that arrives now has no effect, but ends nothing either.
    Self.mask(SIG_BLOCK)
    for (signal, action) in zip(Self.watched, before) {
      var action = action
      sigaction(signal, &action, nil)
    }
    Self.writeEnd.store(-1, ordering: .sequentiallyConsistent)
  }

  /// The requests since the last call.
  struct Requests {
    var stops = 0
    /// SIGUSR2 came: there may be a newer version.
    var upgradeChecks = false
    /// `askToRenew` was called: the running programs are to be replaced.
    var renews = false

    mutating func add(_ more: Requests) {
      stops += more.stops
      upgradeChecks = upgradeChecks || more.upgradeChecks
      renews = renews || more.renews
    }
  }

  /// Waits for a signal, or for `seconds`.
  func wait(_ seconds: Double) -> Requests {
    var polled = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, Int32(max(0, min(seconds, 3600)) * 1000) + 1)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(ends.read, &bytes, bytes.count)
    var requests = Requests()
    for byte in bytes[..<max(0, count)] {
      switch byte {
      case UInt8(SIGCHLD): break
      case UInt8(SIGUSR2): requests.upgradeChecks = true
      case Self.renewal: requests.renews = true
      default: requests.stops += 1
      }
    }
    return requests
  }

  /// Acts like SIGTERM.
  func askToStop() {
    Self.send(UInt8(SIGTERM), to: ends.write)
  }

  func askToRenew() {
    Self.send(Self.renewal, to: ends.write)
  }

  /// Runs in a signal handler: uses only atomics and write(2).
  private static func handle(_ signal: Int32) {
    let before = errno
    send(UInt8(truncatingIfNeeded: signal), to: writeEnd.load(ordering: .sequentiallyConsistent))
    errno = before
  }

  private static func send(_ byte: UInt8, to descriptor: Int32) {
    var byte = byte
    _ = write(descriptor, &byte, 1)
  }
}
