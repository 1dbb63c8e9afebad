import Core
import Foundation
import Glibc
import Processes
import Synchronization

/// Upgrades without a dropped request (docs/operator/upgrade.md): `pairspot upgrade` asks the
/// `pairspot serve` that runs on the same data to switch to the installed version.
public struct Upgrade: Sendable {
  /// The reason why the upgrade failed, in one line.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// In s: a migration of a large database may take a while.
  private static let timeout: Int64 = 600

  private let lockPath: String
  private let result: String

  public init(_ configuration: Configuration) {
    lockPath = ServerLock.path(configuration)
    result = ServerLock.result(configuration)
  }

  /// Makes requests for an upgrade wait until `serve` listens, instead of ending this process. Call
  /// this before any other thread starts.
  public static func holdRequests() { Supervisor.blockUpgradeSignal() }

  /// Requests an upgrade, and waits for its result. Throws `Failure` if no server runs, or the old
  /// one keeps running.
  public func run(printLine: (String) -> Void) throws {
    guard let process = ServerLock.occupant(lockPath) else {
      throw Failure(description: "PairSpot is not running on this data folder")
    }
    try UpgradeResult.preallocate(result)
    guard kill(process, SIGUSR2) == 0 else {
      throw Failure(
        description: "cannot signal process \(process): \(String(cString: strerror(errno)))")
    }
    let end = ContinuousClock.now + .seconds(Self.timeout)
    while ContinuousClock.now < end {
      if let message = UpgradeResult.read(result) {
        guard message.isDone else { throw Failure(description: "not upgraded: \(message.note)") }
        printLine("upgraded; older handlers finish their current requests")
        if !message.note.isEmpty { printLine(message.note) }
        return
      }
      guard ServerLock.occupant(lockPath) == process else {
        throw Failure(description: "PairSpot stopped during the upgrade")
      }
      usleep(50_000)
    }
    throw Failure(description: "no response within \(Self.timeout) s")
  }
}

/// The lock of the one `pairspot serve` of a data folder: a locked file with its process id.
final class ServerLock: Sendable {
  private let descriptor: Int32
  let result: String

  static func path(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/serve.pid"
  }

  /// The file with the result of an upgrade.
  static func result(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/upgrade.result"
  }

  private static func addressPath(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/serve.url"
  }

  /// The base URL of the running `serve`; nil if none runs.
  static func address(_ configuration: Configuration) -> String? {
    guard occupant(path(configuration)) != nil else { return nil }
    return try? String(contentsOfFile: addressPath(configuration), encoding: .utf8)
  }

  /// Throws `Serve.Failure` if another process holds it.
  init(_ configuration: Configuration) throws {
    let path = Self.path(configuration)
    result = Self.result(configuration)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Serve.Failure("\(path): \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Serve.Failure("PairSpot is already running on \(configuration.data)")
    }
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    pwrite(descriptor, text, text.count, 0)
    try configuration.baseURL.write(
      toFile: Self.addressPath(configuration), atomically: true, encoding: .utf8)
  }

  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The process that holds it; nil if none does.
  static func occupant(_ path: String) -> pid_t? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else {
      flock(descriptor, LOCK_UN)
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 1 else { return nil }
    return pid_t(String(decoding: bytes[..<(count - 1)], as: UTF8.self))
  }

}

/// The result of an upgrade, from `serve` to the command that asked for it.
struct UpgradeResult: Codable {
  let isDone: Bool
  /// The reason of a failure, or a further hint; may be empty.
  let note: String

  /// The size of the file, in bytes.
  private static let size = 4096

  /// Nil as long as there is no result.
  static func read(_ path: String) -> UpgradeResult? {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return try? JSONDecoder().decode(UpgradeResult.self, from: bytes)
  }

  /// Makes the file at its full size, so that the result can be written even on a full disk. Throws
  /// `Upgrade.Failure` if there is no space.
  static func preallocate(_ path: String) throws {
    unlink(path)
    let space = [UInt8](repeating: UInt8(ascii: " "), count: size)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, Glibc.write(file, space, size) == size, fsync(file) == 0 else {
      let code = errno
      unlink(path)
      throw Upgrade.Failure(
        description: "not upgraded: \(path): \(String(cString: strerror(code)))")
    }
  }

  /// Overwrites the reserved file. An upgrade requested by a signal alone has none, and nothing is
  /// written.
  func write(_ path: String) throws {
    var bytes = Array(try JSONEncoder().encode(self))
    if bytes.count > Self.size {
      // Shortens the note, which only people read.
      let some = Array(note.utf8.prefix(Self.size / 16))
      let short = UpgradeResult(isDone: isDone, note: String(decoding: some, as: UTF8.self))
      bytes = Array(try JSONEncoder().encode(short))
    }
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: Self.size - bytes.count)
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, pwrite(file, bytes, Self.size, 0) == Self.size else {
      guard errno != ENOENT else { return }
      throw Upgrade.Failure(description: String(cString: strerror(errno)))
    }
  }
}

/// One upgrade of a running `Serve` at a time: the newer program prepares everything, and only if
/// it succeeds are the older processes replaced.
final class UpgradeTask: Sendable {
  /// In s.
  private static let timeout = 590.0

  private struct State {
    var isGoingOn = false
    var note = ""
    var supervisor: Supervisor?
  }

  private let program: String
  private let environment: [String: String]
  private let result: String
  private let printLine: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(
    program: String, environment: [String: String], result: String,
    printLine: @escaping @Sendable (String) -> Void
  ) {
    self.program = program
    self.environment = environment
    self.result = result
    self.printLine = printLine
  }

  /// The supervisor whose programs are replaced.
  var supervisor: Supervisor? {
    get { state.withLock { $0.supervisor } }
    set { state.withLock { $0.supervisor = newValue } }
  }

  /// Prepares on a thread of its own: programs that die in the meantime are started again.
  func begin() {
    let isFirst = state.withLock { state in
      defer { state.isGoingOn = true }
      return !state.isGoingOn
    }
    guard isFirst else { return }
    printLine("upgrading")
    Thread.detachNewThread { [self] in
      let prepared = prepare()
      state.withLock { $0.note = prepared.note }
      if prepared.isDone { supervisor?.renew() } else { end(prepared.note) }
    }
  }

  /// `reason` says why the old processes keep running; nil for success.
  func end(_ reason: String?) {
    let note = state.withLock { state in
      state.isGoingOn = false
      return state.note
    }
    printLine(reason.map { "not upgraded: \($0)" } ?? "upgraded")
    do {
      try UpgradeResult(isDone: reason == nil, note: reason ?? note).write(result)
    } catch {
      printLine("\(result): \(error)")
    }
  }

  /// Runs the newer program's preparation and returns its result.
  private func prepare() -> UpgradeResult {
    do {
      let result = try ChildProcess.run(
        program, ["serve", "--prepare"], environment: environment, timeout: Self.timeout)
      if result.timedOut { return .init(isDone: false, note: "the new program timed out") }
      let isDone = result.status == 0
      let message = String(decoding: isDone ? result.output : result.errors, as: UTF8.self)
      let line = message.split(whereSeparator: \.isNewline).last.map(String.init)
      return .init(
        isDone: isDone,
        note: line ?? (isDone ? "" : "the new program exited with status \(result.status)"))
    } catch {
      return .init(isDone: false, note: "\(error)")
    }
  }
}
