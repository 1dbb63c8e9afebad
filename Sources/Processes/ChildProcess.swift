import Cprocess
import Glibc

/// Runs programs to their end without a shell.
public struct ChildProcess {
  /// The exit status and output of a program.
  public struct Result: Sendable {
    /// The exit code, or 128 plus the number of the signal that ended it.
    public let status: Int32
    public let timedOut: Bool
    /// Its standard output, up to the limit in bytes.
    public let output: [UInt8]
    /// Its standard error, up to the limit in bytes.
    public let errors: [UInt8]
  }

  /// The reason why a program could not be started.
  public struct CannotStart: Error, CustomStringConvertible {
    public let executable: String
    public let code: Int32
    public var description: String {
      "cannot start \(executable): \(String(cString: strerror(code)))"
    }
  }

  /// Runs a program to its end by `posix_spawn`, with descriptors above 2 closed and standard input
  /// empty; kills it after `timeout` s. Output beyond `outputLimit` bytes is read and dropped.
  /// Throws `CannotStart`.
  public static func run(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    timeout: Double, outputLimit: Int = 65_536
  ) throws -> Result {
    var pipes: [Int32] = [-1, -1, -1, -1]
    defer { for descriptor in pipes where descriptor >= 0 { close(descriptor) } }
    for index in [0, 2] {
      let made = pipes.withUnsafeMutableBufferPointer { buffer in
        pipe2(buffer.baseAddress.map { $0 + index }, O_CLOEXEC)
      }
      guard made == 0 else { throw CannotStart(executable: executable, code: errno) }
    }
    let child = try Spawn.start(
      executable, arguments, environment: environment,
      output: .descriptor(pipes[1]), errors: .descriptor(pipes[3]))
    for index in [1, 3] {
      close(pipes[index])
      pipes[index] = -1
    }
    var reader = PipeReader(limit: outputLimit, timeout: timeout)
    let finished = reader.readAll(output: pipes[0], errors: pipes[2])
    if !finished { kill(child, SIGKILL) }
    return Result(
      status: Spawn.wait(for: child), timedOut: !finished,
      output: reader.collected[0], errors: reader.collected[1])
  }
  /// Runs a program to its end with this process's outputs and an empty standard input; it is asked
  /// to end (SIGTERM) if the calling thread ends before it. Returns its exit code, or 128 plus the
  /// number of the signal that ended it. Throws `CannotStart`.
  public static func runAttached(
    _ executable: String, _ arguments: [String], environment: [String: String]
  ) throws -> Int32 {
    guard access(executable, X_OK) == 0 else {
      throw CannotStart(executable: executable, code: errno)
    }
    let child = try Spawn.start(
      "/usr/bin/setpriv", ["--pdeathsig", "TERM", executable] + arguments,
      environment: environment, output: .inherited, errors: .inherited)
    return Spawn.wait(for: child)
  }
}

/// Reads two pipes to their ends, or until the timeout.
private struct PipeReader {
  let limit: Int
  let timeout: Double
  var collected: [[UInt8]] = [[], []]

  init(limit: Int, timeout: Double) {
    self.limit = limit
    self.timeout = timeout
  }

  /// False if the timeout came before both ends closed.
  mutating func readAll(output: Int32, errors: Int32) -> Bool {
    let deadline = Self.monotonicSeconds() + timeout
    var polled = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while polled.contains(where: { $0.fd >= 0 }) {
      let left = deadline - Self.monotonicSeconds()
      guard left > 0 else { return false }
      // An interrupted poll leaves the results of the previous one, which must not be used for a
      // read.
      guard poll(&polled, nfds_t(polled.count), Int32(min(left * 1000 + 1, 60_000))) > 0 else {
        continue
      }
      for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
        if !take(from: polled[index].fd, into: index) { polled[index].fd = -1 }
      }
    }
    return true
  }

  private mutating func take(from descriptor: Int32, into index: Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    guard count > 0 else { return false }
    let space = limit - collected[index].count
    collected[index].append(contentsOf: buffer[0..<min(count, max(0, space))])
    return true
  }

  private static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
