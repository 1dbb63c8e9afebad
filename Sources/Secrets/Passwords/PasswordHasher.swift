import Core
import Dispatch
import Foundation
import Synchronization

/// Why a password was not hashed.
public enum PasswordHashingError: Error, Equatable, Sendable {
  /// Too many others are at it: answer 503 with a retry.
  case busy
  /// Longer than `PasswordRules` allow, or with a NUL.
  case unusable
  /// The stored hash is not one of ours.
  case brokenHash
}

/// Hashes passwords with bcrypt, a few at a time, so that signing in never stops the site.
///
/// bcrypt reads 72 bytes and no more, so it is given HMAC-SHA-384 of the password, keyed with a
/// secret outside of the database. `mark` stands before such a hash; those without it are of
/// before, of passwords up to 72 bytes, and still verify.
public final class PasswordHasher: Sendable {
  /// How long a caller waits for its turn, in seconds.
  public static let longestWait = 2.0

  /// The cost for random codes, which are long enough for less work than a password wants.
  public static let codeCost = 10
  private static let mark = "{sha384}"
  /// The bytes that bcrypt reads.
  private static let bcryptBytes = 72

  private let key: [UInt8]
  private let cost: Int
  private let mostWaiting: Int
  private let longestWait: Double
  private let turns: DispatchSemaphore
  private let waiting = Atomic<Int>(0)
  private let dummy: String

  /// `key` is for the HMAC; `cost` is the binary logarithm of the rounds, 4 to 31; `concurrent` hashes run at once;
  /// `waiting` callers may stand in line, the next one is told `busy`. Throws for a cost that
  /// bcrypt doesn't have.
  public init(
    key: [UInt8], cost: Int = 12,
    concurrent: Int = ProcessInfo.processInfo.activeProcessorCount,
    waiting: Int, longestWait: Double = PasswordHasher.longestWait
  ) throws {
    guard (4...31).contains(cost) else { throw PasswordHashingError.unusable }
    self.key = key
    self.cost = cost
    dummy = Self.nobodys(cost: cost)
    self.longestWait = longestWait
    mostWaiting = waiting
    turns = DispatchSemaphore(value: max(1, concurrent))
  }

  /// The hash of a password after NFC. Throws `PasswordHashingError`.
  public func hash(_ password: String) throws(PasswordHashingError) -> String {
    try hash(password, cost: cost)
  }

  /// The hash of a random code, which `verify` knows again. Throws `PasswordHashingError`.
  public func hash(code: String) throws(PasswordHashingError) -> String {
    try hash(code, cost: min(cost, Self.codeCost))
  }

  private func hash(_ secret: String, cost: Int) throws(PasswordHashingError) -> String {
    guard let bytes = condensed(secret) else { throw .unusable }
    let hash = try withSlot { Bcrypt.hash(bytes, cost: cost) }
    guard let hash else { throw .unusable }
    return Self.mark + hash
  }

  /// The hashes of several codes with one salt, so that a typed one is hashed once for all of them.
  /// `like` is a hash of before whose salt and cost are kept. Throws `PasswordHashingError`.
  public func hashes(
    codes: [String], like: String? = nil
  ) throws(PasswordHashingError) -> [String] {
    var setting = like.map { String($0.dropFirst(Self.mark.utf8.count)) }
    var made: [String] = []
    for code in codes {
      guard let bytes = condensed(code) else { throw .unusable }
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

  /// Whether a password is the one of a stored hash. Without a hash (nobody has that address) the
  /// answer is false and takes as long. Throws `PasswordHashingError`.
  public func verify(
    _ password: String, against hash: String?
  ) throws(PasswordHashingError) -> Bool {
    if let hash, !Self.isOurs(hash) { throw .brokenHash }
    let isOld = hash.map { !$0.hasPrefix(Self.mark) } ?? false
    let bytes = isOld ? Self.short(password) : condensed(password)
    let setting = hash.map { isOld ? $0 : String($0.dropFirst(Self.mark.utf8.count)) } ?? dummy
    let made = try withSlot { Bcrypt.hash(bytes ?? [], setting: setting) }
    guard let made else { throw .brokenHash }
    let same = ConstantTime.equal(Array(made.utf8), Array(setting.utf8))
    return same && hash != nil && bytes != nil
  }

  /// What is compared with where there is no hash: nobody's, of this cost and of any salt. Only the
  /// work counts, so that it is not made anew by every process at its start.
  private static func nobodys(cost: Int) -> String {
    let (salt, digest) = (String(repeating: ".", count: 22), String(repeating: ".", count: 31))
    return "$2b$\(cost < 10 ? "0" : "")\(cost)$\(salt)\(digest)"
  }

  /// Does something as one of the few who may at once. Throws `busy`.
  func withSlot<Answer>(_ work: () -> Answer) throws(PasswordHashingError) -> Answer {
    try takeSlot()
    defer { turns.signal() }
    return work()
  }

  private func takeSlot() throws(PasswordHashingError) {
    if turns.wait(timeout: .now()) == .success { return }
    defer { waiting.subtract(1, ordering: .relaxed) }
    guard waiting.add(1, ordering: .relaxed).newValue <= mostWaiting else { throw .busy }
    guard turns.wait(timeout: .now() + longestWait) == .success else { throw .busy }
  }

  /// What bcrypt is given: 64 characters for any secret; nil for one that is no password.
  private func condensed(_ password: String) -> [UInt8]? {
    guard let bytes = Self.usable(password, most: PasswordRules.mostBytes) else { return nil }
    return Array(Base64URL.text(Digests.hmac384(bytes, key: key)).utf8)
  }

  /// What bcrypt was given before, or nil for what it would silently cut off.
  private static func short(_ password: String) -> [UInt8]? {
    usable(password, most: bcryptBytes)
  }

  private static func usable(_ password: String, most: Int) -> [UInt8]? {
    guard password.utf8.count <= PasswordRules.mostBytes * 2 else { return nil }
    let bytes = Array(password.composed.utf8)
    return bytes.count > most || bytes.contains(0) ? nil : bytes
  }

  private static func isOurs(_ hash: String) -> Bool {
    let plain = hash.hasPrefix(mark) ? hash.dropFirst(mark.utf8.count) : Substring(hash)
    return plain.hasPrefix("$2b$") && plain.utf8.count == 60
  }
}
