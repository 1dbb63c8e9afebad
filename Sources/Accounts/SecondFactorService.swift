import Basics
import Database
import Secrets
import Web

/// Turns second factors on and off, and judges codes (accounts.md, "Signing in").
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
  let mails: SecondFactorMails

  // MARK: Asking

  func isOn(_ person: ID<Person>) throws -> Bool {
    try database.read { try store.isOn(person, in: $0) }
  }

  /// The secret that waits for its first code, while it may still be used.
  func waiting(_ person: ID<Person>, now: Instant, in reader: Reader) throws -> SecondFactor? {
    let found = try store.find(person, in: reader)
    guard let found, found.confirmedAt == nil,
      now.seconds(since: found.createdAt) < Self.setupLifetime
    else { return nil }
    return found
  }

  /// Judges a code and uses it up. Throws 429 after too many wrong ones; a wrong one is counted
  /// when the transaction is kept. A device that was in before is counted apart, or whoever has
  /// the password could lock the owner out by guessing codes.
  func judge(
    _ typed: String, of person: ID<Person>, on device: KnownDevice?, now: Instant,
    in writer: Writer
  ) throws -> Verdict {
    let subject = device?.subject ?? person.description
    try limits.check(Self.failures, subject, now: now, in: writer.reader)
    let verdict = try verdict(on: typed, of: person, now: now, in: writer)
    if verdict == .wrong {
      _ = try limits.add(Self.failures, subject, now: now, in: writer)
    }
    return verdict
  }

  private func verdict(
    on typed: String, of person: ID<Person>, now: Instant, in writer: Writer
  ) throws -> Verdict {
    guard let factor = try store.find(person, in: writer.reader), factor.confirmedAt != nil else {
      return .wrong
    }
    switch TypedCode(typed) {
    case .timed(let code):
      let step = factor.codes.step(of: code, at: now.secondsSince1970, after: factor.lastStep)
      guard let step, try store.use(step: step, of: person, in: writer) else { return .wrong }
      return .timedCode
    case .recovery(let digits):
      let code = RecoveryCode(text: digits)
      guard try store.use(code, of: person, now: now, in: writer) else { return .wrong }
      try mails.tell(.recoveryCodeUsed, person, now: now, in: writer)
      return .recoveryCode
    case nil:
      return .wrong
    }
  }

  // MARK: Changing

  /// Makes a new secret that waits for its first code; does nothing when one is on.
  func begin(_ person: ID<Person>, now: Instant, in writer: Writer) throws {
    try store.begin(
      person, secret: RandomBytes.make(TimedCodes.secretLength), now: now, in: writer)
  }

  /// Turns the waiting secret on; answers the recovery codes, nil when the code isn't right.
  func turnOn(
    _ person: ID<Person>, code typed: String, now: Instant, in writer: Writer
  ) throws -> [RecoveryCode]? {
    guard case .timed(let code)? = TypedCode(typed),
      let factor = try waiting(person, now: now, in: writer.reader),
      let step = factor.codes.step(of: code, at: now.secondsSince1970, after: nil),
      try store.confirm(person, step: step, now: now, in: writer)
    else { return nil }
    let codes = RecoveryCode.set()
    try store.replaceRecoveryCodes(of: person, with: codes, in: writer)
    try mails.tell(.turnedOn, person, now: now, in: writer)
    return codes
  }

  func turnOff(_ person: ID<Person>, now: Instant, in writer: Writer) throws {
    try store.remove(person, in: writer)
    try mails.tell(.turnedOff, person, now: now, in: writer)
  }

  /// New recovery codes in the place of all that there were.
  func renewRecoveryCodes(
    of person: ID<Person>, now: Instant, in writer: Writer
  ) throws -> [RecoveryCode] {
    let codes = RecoveryCode.set()
    try store.replaceRecoveryCodes(of: person, with: codes, in: writer)
    try mails.tell(.recoveryCodesMade, person, now: now, in: writer)
    return codes
  }

  /// Removes secrets that nobody confirmed.
  func purge(now: Instant) throws {
    try database.write {
      try store.purgeUnconfirmed(before: now.adding(seconds: -Self.setupLifetime), in: $0)
    }
  }
}

extension Instant {
  /// Whole seconds, for the steps of an authenticator app.
  fileprivate var secondsSince1970: Int64 { milliseconds / 1000 }
}
