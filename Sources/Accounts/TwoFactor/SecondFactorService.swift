import Core
import Database
import Secrets
import Web

/// Turns second factors on and off, and verifies codes
/// (docs/developer/sessions-and-tokens.md#signing-in).
struct SecondFactorService {
  /// Limits wrong codes of an account.
  static let failures = RateLimit("second-factor", maximum: 10, window: .hours(1))
  /// How long a new secret waits for its first code, in s.
  static let setupLifetime: Int64 = .hours(1)

  /// The result of verifying a code.
  enum Verdict: Equatable {
    case wrong
    case timedCode
    case recoveryCode
  }

  let database: Database
  let store: SecondFactorStore
  let people: PersonStore
  let sessions: SessionStore
  let limits: RateLimitStore
  let mails: SecondFactorMailer

  // MARK: Verifying

  func isOn(_ person: ID<Person>) throws -> Bool {
    try database.read { try store.isOn(person, in: $0) }
  }

  /// The secret that waits for its first code; nil once it has expired.
  func waiting(_ person: ID<Person>, now: Instant, in reader: ReadTransaction) throws
    -> SecondFactor?
  {
    let found = try store.find(person, in: reader)
    guard let found, found.confirmedAt == nil,
      now.seconds(since: found.createdAt) < Self.setupLifetime
    else { return nil }
    return found
  }

  /// A typed code, prepared for verification.
  struct Attempt {
    fileprivate enum Code {
      case timed(String)
      case recovery(hashes: [[UInt8]])
      case none
    }

    let person: ID<Person>
    /// The key under which failures are counted.
    fileprivate let subject: String
    fileprivate let code: Code
  }

  /// Parses and hashes a code. This is slow, so it runs before the transaction that verifies it.
  /// Throws 429 after too many wrong ones, and 503. A trusted device has its own limit: otherwise
  /// an attacker with the password could lock the owner out by guessing codes.
  func attempt(
    _ entered: String, of person: ID<Person>, on device: TrustedDevice?, now: Instant
  ) throws -> Attempt {
    let subject = device?.subject ?? person.description
    try database.read { try limits.check(Self.failures, subject, now: now, in: $0) }
    let code: Attempt.Code =
      switch OneTimeCodeInput(entered) {
      case .timed(let code): .timed(code)
      case .recovery(let digits):
        .recovery(hashes: try store.hashes(of: RecoveryCode(text: digits), for: person))
      case nil: .none
      }
    return Attempt(person: person, subject: subject, code: code)
  }

  /// Verifies a code and uses it up. Throws 429 after too many wrong ones; a wrong one is counted
  /// when the transaction commits.
  func verify(_ attempt: Attempt, now: Instant, in writer: WriteTransaction) throws -> Verdict {
    let subject = attempt.subject
    try limits.check(Self.failures, subject, now: now, in: writer)
    let verdict = try verdict(on: attempt.code, of: attempt.person, now: now, in: writer)
    if verdict == .wrong {
      _ = try limits.add(Self.failures, subject, now: now, in: writer)
    }
    return verdict
  }

  private func verdict(
    on code: Attempt.Code, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Verdict {
    guard let factor = try store.find(person, in: writer), factor.confirmedAt != nil else {
      return .wrong
    }
    switch code {
    case .timed(let code):
      let step = factor.codes.step(of: code, at: now.secondsSince1970, after: factor.lastStep)
      guard let step, try store.use(step: step, of: person, in: writer) else { return .wrong }
      return .timedCode
    case .recovery(let hashes):
      guard try store.use(recoveryCode: hashes, of: person, now: now, in: writer) else {
        return .wrong
      }
      try mails.notify(.recoveryCodeUsed, person, now: now, in: writer)
      return .recoveryCode
    case .none:
      return .wrong
    }
  }

  // MARK: Changing

  /// Creates a secret that waits for its first code; does nothing if one is on.
  func begin(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try store.begin(
      person, secret: RandomBytes.make(TOTP.secretLength), now: now, in: writer)
  }

  /// Turns the waiting secret on, with recovery codes from `store.newCodes`; returns false if the
  /// code is wrong.
  func turnOn(
    _ person: ID<Person>, code entered: String, codes: RecoveryCodeSet, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    guard case .timed(let code)? = OneTimeCodeInput(entered),
      let factor = try waiting(person, now: now, in: writer),
      let step = factor.codes.step(of: code, at: now.secondsSince1970, after: nil),
      try store.confirm(person, step: step, now: now, in: writer)
    else { return false }
    try store.replaceRecoveryCodes(of: person, with: codes, in: writer)
    try mails.notify(.turnedOn, person, now: now, in: writer)
    return true
  }

  func turnOff(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try store.remove(person, in: writer)
    try mails.notify(.turnedOff, person, now: now, in: writer)
  }

  /// Replaces all recovery codes of a user.
  func renewRecoveryCodes(
    of person: ID<Person>, with codes: RecoveryCodeSet, now: Instant, in writer: WriteTransaction
  ) throws {
    try store.replaceRecoveryCodes(of: person, with: codes, in: writer)
    try mails.notify(.recoveryCodesMade, person, now: now, in: writer)
  }

  /// Removes unconfirmed secrets.
  func purge(now: Instant) throws {
    try database.write {
      try store.purgeUnconfirmed(before: now.adding(seconds: -Self.setupLifetime), in: $0)
    }
  }
}

extension Context {
  /// Logs the result of verifying a second factor as a security event.
  func note(_ verdict: SecondFactorService.Verdict, of person: ID<Person>) {
    let event: SecurityEvent =
      switch verdict {
      case .wrong: .secondFactorFailed
      case .timedCode: .secondFactorAccepted
      case .recoveryCode: .recoveryCodeUsed
      }
    note(event, of: .person(person))
  }
}

extension Instant {
  /// Whole seconds since 1970, for TOTP steps.
  fileprivate var secondsSince1970: Int64 { milliseconds / 1000 }
}
