import Basics
import Dispatch
import Foundation
import Synchronization

/// Why a password was not hashed.
public enum PasswordHashingError: Error, Equatable, Sendable {
  /// Too many others are at it: answer 503 with a retry.
  case busy
  /// Longer than 72 bytes, or with a NUL: `PasswordRules` comes first.
  case unusable
  /// The stored hash is not one of ours.
  case brokenHash
}

/// Hashes passwords with bcrypt, a few at a time, so that signing in never stops the site
/// (accounts.md, "Signing in"; stack-notes.md, "Passwords").
public final class PasswordHasher: Sendable {
  /// How long a caller waits for its turn, in seconds.
  public static let longestWait = 2.0

  private let cost: Int
  private let mostWaiting: Int
  private let longestWait: Double
  private let turns: DispatchSemaphore
  private let waiting = Atomic<Int>(0)
  private let dummy: String

  /// `cost` is the binary logarithm of the rounds, 4 to 31; `concurrent` hashes run at once;
  /// `waiting` callers may stand in line, the next one is told `busy`. Throws for a cost that
  /// bcrypt doesn't have.
  public init(
    cost: Int = 12, concurrent: Int = ProcessInfo.processInfo.activeProcessorCount,
    waiting: Int, longestWait: Double = PasswordHasher.longestWait
  ) throws {
    guard (4...31).contains(cost) else { throw PasswordHashingError.unusable }
    self.cost = cost
    dummy = Self.nobodys(cost: cost)
    self.longestWait = longestWait
    mostWaiting = waiting
    turns = DispatchSemaphore(value: max(1, concurrent))
  }

  /// The hash of a password after NFC, 60 characters. Throws `PasswordHashingError`.
  public func hash(_ password: String) throws(PasswordHashingError) -> String {
    guard let bytes = Self.usable(password) else { throw .unusable }
    let hash = try withTurn { Bcrypt.hash(bytes, cost: cost) }
    guard let hash else { throw .unusable }
    return hash
  }

  /// Whether a password is the one of a stored hash. Without a hash (nobody has that address) the
  /// answer is false and takes as long. Throws `PasswordHashingError`.
  public func verify(
    _ password: String, against hash: String?
  ) throws(PasswordHashingError) -> Bool {
    if let hash, !Self.isOurs(hash) { throw .brokenHash }
    let bytes = Self.usable(password)
    let setting = hash ?? dummy
    let made = try withTurn { Bcrypt.hash(bytes ?? [], setting: setting) }
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
  func withTurn<Answer>(_ work: () -> Answer) throws(PasswordHashingError) -> Answer {
    try takeTurn()
    defer { turns.signal() }
    return work()
  }

  private func takeTurn() throws(PasswordHashingError) {
    if turns.wait(timeout: .now()) == .success { return }
    defer { waiting.subtract(1, ordering: .relaxed) }
    guard waiting.add(1, ordering: .relaxed).newValue <= mostWaiting else { throw .busy }
    guard turns.wait(timeout: .now() + longestWait) == .success else { throw .busy }
  }

  /// The bytes that are hashed, or nil for those that bcrypt would silently cut off.
  private static func usable(_ password: String) -> [UInt8]? {
    guard password.utf8.count <= 4 * PasswordRules.mostBytes else { return nil }
    let bytes = Array(password.composed.utf8)
    return bytes.count > PasswordRules.mostBytes || bytes.contains(0) ? nil : bytes
  }

  private static func isOurs(_ hash: String) -> Bool {
    hash.hasPrefix("$2b$") && hash.utf8.count == 60
  }
}
