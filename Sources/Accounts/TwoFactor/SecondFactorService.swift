import Core
import Database
import Secrets
import Web

/// Turns second factors on and off, and judges codes
/// (docs/developer/sessions-and-tokens.md#signing-in).
struct SecondFactorService {
  /// How often an account's codes may be tried in vain.
  static let failures = RateLimit("second-factor", most: 10, window: .hours(1))
  /// How long a secret that was shown waits for its first code, in s.
  static let setupLifetime: Int64 = .hours(1)

  /// What a typed code was.
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

  // MARK: Asking

  func isOn(_ person: ID<Person>) throws -> Bool {
    try database.read { try store.isOn(person, in: $0) }
  }

  /// The secret that waits for its first code, while it may still be used.
  func waiting(_ person: ID<Person>, now: Instant, in reader: ReadTransaction) throws
    -> SecondFactor?
  {
    let found = try store.find(person, in: reader)
    guard let found, found.confirmedAt == nil,
      now.seconds(since: found.createdAt) < Self.setupLifetime
    else { return nil }
    return found
  }

  /// A typed code, ready to be judged.
  struct Attempt {
    fileprivate enum Code {
      case timed(String)
      case recovery(hashes: [[UInt8]])
      case none
    }

    let person: ID<Person>
    /// Whose failures are counted.
    fileprivate let subject: String
    fileprivate let code: Code
  }

  /// Reads a code and hashes it, which takes a while: before the transaction that judges it.
  /// Throws 429 after too many wrong ones, and 503. A device that was in before is counted apart,
  /// or whoever has the password could lock the owner out by guessing codes.
  func attempt(
    _ typed: String, of person: ID<Person>, on device: TrustedDevice?, now: Instant
  ) throws -> Attempt {
    let subject = device?.subject ?? person.description
    try database.read { try limits.check(Self.failures, subject, now: now, in: $0) }
    let code: Attempt.Code =
      switch OneTimeCodeInput(typed) {
      case .timed(let code): .timed(code)
      case .recovery(let digits):
        .recovery(hashes: try store.hashes(of: RecoveryCode(text: digits), for: person))
      case nil: .none
      }
    return Attempt(person: person, subject: subject, code: code)
  }

  /// Judges a code and uses it up. Throws 429 after too many wrong ones; a wrong one is counted
  /// when the transaction is kept.
  func judge(_ attempt: Attempt, now: Instant, in writer: WriteTransaction) throws -> Verdict {
    let subject = attempt.subject
    try limits.check(Self.failures, subject, now: now, in: writer.reader)
    let verdict = try verdict(on: attempt.code, of: attempt.person, now: now, in: writer)
    if verdict == .wrong {
      _ = try limits.add(Self.failures, subject, now: now, in: writer)
    }
    return verdict
  }

  private func verdict(
    on code: Attempt.Code, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Verdict {
    guard let factor = try store.find(person, in: writer.reader), factor.confirmedAt != nil else {
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
      try mails.tell(.recoveryCodeUsed, person, now: now, in: writer)
      return .recoveryCode
    case .none:
      return .wrong
    }
  }

  // MARK: Changing

  /// Makes a new secret that waits for its first code; does nothing when one is on.
  func begin(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try store.begin(
      person, secret: RandomBytes.make(TOTP.secretLength), now: now, in: writer)
  }

  /// Turns the waiting secret on, with recovery codes that `store.newCodes` made; false when the
  /// code isn't right.
  func turnOn(
    _ person: ID<Person>, code typed: String, codes: RecoveryCodeSet, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    guard case .timed(let code)? = OneTimeCodeInput(typed),
      let factor = try waiting(person, now: now, in: writer.reader),
      let step = factor.codes.step(of: code, at: now.secondsSince1970, after: nil),
      try store.confirm(person, step: step, now: now, in: writer)
    else { return false }
    try store.replaceRecoveryCodes(of: person, with: codes, in: writer)
    try mails.tell(.turnedOn, person, now: now, in: writer)
    return true
  }

  func turnOff(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try store.remove(person, in: writer)
    try mails.tell(.turnedOff, person, now: now, in: writer)
  }

  /// New recovery codes in the place of all that there were.
  func renewRecoveryCodes(
    of person: ID<Person>, with codes: RecoveryCodeSet, now: Instant, in writer: WriteTransaction
  ) throws {
    try store.replaceRecoveryCodes(of: person, with: codes, in: writer)
    try mails.tell(.recoveryCodesMade, person, now: now, in: writer)
  }

  /// Removes secrets that nobody confirmed.
  func purge(now: Instant) throws {
    try database.write {
      try store.purgeUnconfirmed(before: now.adding(seconds: -Self.setupLifetime), in: $0)
    }
  }
}

extension Context {
  /// Writes to the security log what a second factor's code was.
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
  /// Whole seconds, for the steps of an authenticator app.
  fileprivate var secondsSince1970: Int64 { milliseconds / 1000 }
}
