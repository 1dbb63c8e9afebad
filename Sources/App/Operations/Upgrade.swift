import Core
import Foundation
import Glibc
import Processes
import Synchronization

/// Upgrades without a dropped request (docs/operator/upgrade.md): `pairspot upgrade` asks the
/// `pairspot serve` that runs on the same data to change over to what is on the disk now.
public struct Upgrade: Sendable {
  /// Why there was none, in one line.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// In s: a migration of a large database may take a while.
  private static let timeout: Int64 = 600

  private let seat: String
  private let result: String

  public init(_ configuration: Configuration) {
    seat = ServerLock.path(configuration)
    result = ServerLock.result(configuration)
  }

  /// From now on a request for an upgrade waits until `serve` listens, instead of ending this
  /// process; to be called before any other thread begins.
  public static func holdRequests() { Supervisor.holdLooks() }

  /// Asks, and waits for what became of it. Throws `Failure` when nothing runs, and when what runs
  /// goes on as it was.
  public func run(say: (String) -> Void) throws {
    guard let process = ServerLock.occupant(seat) else {
      throw Failure(description: "PairSpot isn't running on this data folder")
    }
    try UpgradeResult.makeRoom(result)
    guard kill(process, SIGUSR2) == 0 else {
      throw Failure(
        description: "process \(process) can't be asked: \(String(cString: strerror(errno)))")
    }
    let end = ContinuousClock.now + .seconds(Self.timeout)
    while ContinuousClock.now < end {
      if let said = UpgradeResult.read(result) {
        guard said.isDone else { throw Failure(description: "not upgraded: \(said.note)") }
        say("upgraded; older handlers finish what they are at")
        if !said.note.isEmpty { say(said.note) }
        return
      }
      guard ServerLock.occupant(seat) == process else {
        throw Failure(description: "PairSpot ended meanwhile")
      }
      usleep(50_000)
    }
    throw Failure(description: "no answer for \(Self.timeout) s")
  }
}

/// The place of the one `pairspot serve` of a data folder: a locked file with its number in it.
final class ServerLock: Sendable {
  private let descriptor: Int32
  let result: String

  static func path(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/serve.pid"
  }

  /// Where the end of an upgrade is told.
  static func result(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/upgrade.result"
  }

  private static func addressPath(_ configuration: Configuration) -> String {
    "\(configuration.runFolder)/serve.url"
  }

  /// The base URL of the `serve` that runs; nil when none does.
  static func address(_ configuration: Configuration) -> String? {
    guard occupant(path(configuration)) != nil else { return nil }
    return try? String(contentsOfFile: addressPath(configuration), encoding: .utf8)
  }

  /// Throws `Serve.Failure` when somebody has it.
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

  /// Who has it; nil when nobody does.
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

/// How an upgrade ended, as `serve` tells the command that asked for it.
struct UpgradeResult: Codable {
  let isDone: Bool
  /// Why not, or what else there is to know; may be empty.
  let note: String

  /// Of the file, in bytes.
  private static let size = 4096

  /// Nil as long as there is none.
  static func read(_ path: String) -> UpgradeResult? {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return try? JSONDecoder().decode(UpgradeResult.self, from: bytes)
  }

  /// Makes the file with nothing but room in it, so that how it ended can be told on a full disk
  /// too. Throws `Upgrade.Failure` where there is none.
  static func makeRoom(_ path: String) throws {
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

  /// Over the room that was made; for who asks by a signal alone there is none, and nothing is told.
  func write(_ path: String) throws {
    var bytes = Array(try JSONEncoder().encode(self))
    if bytes.count > Self.size {
      // Too long by so much, of what only a person reads.
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

/// One upgrade of a running `Serve` at a time: the newer program prepares everything, and only
/// when it could are the older processes replaced.
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
  private let say: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(
    program: String, environment: [String: String], result: String,
    say: @escaping @Sendable (String) -> Void
  ) {
    self.program = program
    self.environment = environment
    self.result = result
    self.say = say
  }

  /// Whose programs are replaced.
  var supervisor: Supervisor? {
    get { state.withLock { $0.supervisor } }
    set { state.withLock { $0.supervisor = newValue } }
  }

  /// Prepares on a thread of its own: programs that die meanwhile are started again.
  func begin() {
    let isFirst = state.withLock { state in
      defer { state.isGoingOn = true }
      return !state.isGoingOn
    }
    guard isFirst else { return }
    say("upgrading")
    Thread.detachNewThread { [self] in
      let prepared = prepare()
      state.withLock { $0.note = prepared.note }
      if prepared.isDone { supervisor?.renew() } else { end(prepared.note) }
    }
  }

  /// `reason` says why what ran goes on.
  func end(_ reason: String?) {
    let note = state.withLock { state in
      state.isGoingOn = false
      return state.note
    }
    say(reason.map { "not upgraded: \($0)" } ?? "upgraded")
    do {
      try UpgradeResult(isDone: reason == nil, note: reason ?? note).write(result)
    } catch {
      say("\(result): \(error)")
    }
  }

  /// What the newer program says when it makes everything ready, or against it.
  private func prepare() -> UpgradeResult {
    do {
      let result = try ChildProcess.run(
        program, ["serve", "--prepare"], environment: environment, timeout: Self.timeout)
      if result.timedOut { return .init(isDone: false, note: "the newer program takes too long") }
      let isDone = result.status == 0
      let said = String(decoding: isDone ? result.output : result.errors, as: UTF8.self)
      let line = said.split(whereSeparator: \.isNewline).last.map(String.init)
      return .init(
        isDone: isDone,
        note: line ?? (isDone ? "" : "the newer program ends with \(result.status)"))
    } catch {
      return .init(isDone: false, note: "\(error)")
    }
  }
}
