import Core
import Dispatch
import Foundation
import Synchronization

/// The reason why a password was not hashed.
public enum PasswordHashingError: Error, Equatable, Sendable {
  /// Too many hashes are running or waiting; the response is 503 with a retry.
  case busy
  /// Longer than `PasswordRules` allow, or with a NUL.
  case unusable
  /// The stored hash has an unknown format.
  case brokenHash
}

/// Hashes passwords with bcrypt, a few at a time, so that sign-ins do not block the site.
///
/// bcrypt reads at most 72 bytes, so its input is HMAC-SHA-384 of the password, keyed with a secret
/// outside of the database. `mark` is the prefix of such hashes. Hashes without it are older, of
/// passwords up to 72 bytes, and still verify.
public final class PasswordHasher: Sendable {
  /// How long a caller waits for its turn, in s.
  public static let maximumWait = 2.0

  /// The cost for random codes, whose entropy needs less work than that of passwords.
  public static let codeCost = 10
  private static let mark = "{sha384}"
  /// The number of bytes that bcrypt reads.
  private static let bcryptBytes = 72

  private let key: [UInt8]
  private let cost: Int
  private let maximumWaiting: Int
  private let maximumWait: Double
  private let semaphore: DispatchSemaphore
  private let waiting = Atomic<Int>(0)
  private let dummy: String

  /// `key` is for the HMAC; `cost` is the binary logarithm of the rounds, 4 to 31. At most
  /// `concurrent` hashes run at once and `waiting` callers wait; a further one gets `busy`. Throws
  /// for a cost that bcrypt does not support.
  public init(
    key: [UInt8], cost: Int = 12,
    concurrent: Int = ProcessInfo.processInfo.activeProcessorCount,
    waiting: Int, maximumWait: Double = PasswordHasher.maximumWait
  ) throws {
    guard (4...31).contains(cost) else { throw PasswordHashingError.unusable }
    self.key = key
    self.cost = cost
    dummy = Self.dummyHash(cost: cost)
    self.maximumWait = maximumWait
    maximumWaiting = waiting
    semaphore = DispatchSemaphore(value: max(1, concurrent))
  }

  /// The hash of a password after NFC. Throws `PasswordHashingError`.
  public func hash(_ password: String) throws(PasswordHashingError) -> String {
    try hash(password, cost: cost)
  }

  /// The hash of a random code, for `verify`. Throws `PasswordHashingError`.
  public func hash(code: String) throws(PasswordHashingError) -> String {
    try hash(code, cost: min(cost, Self.codeCost))
  }

  private func hash(_ secret: String, cost: Int) throws(PasswordHashingError) -> String {
    guard let bytes = bcryptInput(secret) else { throw .unusable }
    let hash = try withSlot { Bcrypt.hash(bytes, cost: cost) }
    guard let hash else { throw .unusable }
    return Self.mark + hash
  }

  /// The hashes of several codes with one salt, so that a typed code is hashed once for all of
  /// them. `like` is an existing hash whose salt and cost are used. Throws `PasswordHashingError`.
  public func hashes(
    codes: [String], like: String? = nil
  ) throws(PasswordHashingError) -> [String] {
    var setting = like.map { String($0.dropFirst(Self.mark.utf8.count)) }
    var made: [String] = []
    for code in codes {
      guard let bytes = bcryptInput(code) else { throw .unusable }
      let cost = min(cost, Self.codeCost)
      let hash = try withSlot {
        setting.map { Bcrypt.hash(bytes, setting: $0) } ?? Bcrypt.hash(bytes, cost: cost)
      }
      guard let hash else { throw .brokenHash }
      setting = hash
      made.append(Self.mark + hash)
    }
    return made
  }

  /// Whether a password matches a stored hash. Without a hash (unknown address) the result is false
  /// and takes as long. Throws `PasswordHashingError`.
  public func verify(
    _ password: String, against hash: String?
  ) throws(PasswordHashingError) -> Bool {
    if let hash, !Self.isOurs(hash) { throw .brokenHash }
    let isOld = hash.map { !$0.hasPrefix(Self.mark) } ?? false
    let bytes = isOld ? Self.short(password) : bcryptInput(password)
    let setting = hash.map { isOld ? $0 : String($0.dropFirst(Self.mark.utf8.count)) } ?? dummy
    let made = try withSlot { Bcrypt.hash(bytes ?? [], setting: setting) }
    guard let made else { throw .brokenHash }
    let same = ConstantTime.equal(Array(made.utf8), Array(setting.utf8))
    return same && hash != nil && bytes != nil
  }

  /// The dummy that is compared if there is no hash: the cost is the same, salt and digest are
  /// arbitrary. It is constant, so that no process computes a hash at its start.
  private static func dummyHash(cost: Int) -> String {
    let (salt, digest) = (String(repeating: ".", count: 22), String(repeating: ".", count: 31))
    return "$2b$\(cost < 10 ? "0" : "")\(cost)$\(salt)\(digest)"
  }

  /// Runs `work` in one of the concurrent slots. Throws `busy`.
  func withSlot<Answer>(_ work: () -> Answer) throws(PasswordHashingError) -> Answer {
    try takeSlot()
    defer { semaphore.signal() }
    return work()
  }

  private func takeSlot() throws(PasswordHashingError) {
    if semaphore.wait(timeout: .now()) == .success { return }
    defer { waiting.subtract(1, ordering: .relaxed) }
    guard waiting.add(1, ordering: .relaxed).newValue <= maximumWaiting else { throw .busy }
    guard semaphore.wait(timeout: .now() + maximumWait) == .success else { throw .busy }
  }

  /// The input of bcrypt: 64 characters for any secret; nil for an invalid one.
  private func bcryptInput(_ password: String) -> [UInt8]? {
    guard let bytes = Self.usable(password, maximumBytes: PasswordRules.maximumBytes) else {
      return nil
    }
    return Array(Base64URL.text(Digests.hmac384(bytes, key: key)).utf8)
  }

  /// The input of bcrypt for old hashes; nil for a password that bcrypt would truncate.
  private static func short(_ password: String) -> [UInt8]? {
    usable(password, maximumBytes: bcryptBytes)
  }

  private static func usable(_ password: String, maximumBytes: Int) -> [UInt8]? {
    guard password.utf8.count <= PasswordRules.maximumBytes * 2 else { return nil }
    let bytes = Array(password.composed.utf8)
    return bytes.count > maximumBytes || bytes.contains(0) ? nil : bytes
  }

  private static func isOurs(_ hash: String) -> Bool {
    let plain = hash.hasPrefix(mark) ? hash.dropFirst(mark.utf8.count) : Substring(hash)
    return plain.hasPrefix("$2b$") && plain.utf8.count == 60
  }
}
