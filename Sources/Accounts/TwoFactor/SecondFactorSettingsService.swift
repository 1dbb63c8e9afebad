import Core
import Database
import Secrets
import Web

/// Turns somebody's second factor on and off, from pages and API. Who they are was asked again
/// before.
struct SecondFactorSettingsService {
  let services: AccountsEnvironment

  /// Turns the waiting secret on; answers the recovery codes, nil when the code isn't right.
  /// Whoever came in with the password alone has to come in again, and this browser's session
  /// gets a new secret, since it may have gained powers.
  func turnOn(_ code: String, _ context: Context) throws -> [RecoveryCode]? {
    let viewer = try context.signedIn()
    let set = try services.secondFactor.store.newCodes(for: viewer.id)
    let (isOn, token) = try services.site.database.write { writer in
      let isOn = try services.secondFactor.turnOn(
        viewer.id, code: code, codes: set, now: context.now, in: writer)
      return (isOn, isOn ? try endOthers(viewer, context, in: writer) : nil)
    }
    guard isOn else {
      context.note(SecondFactorService.Verdict.wrong, of: viewer.id)
      return nil
    }
    context.note(.secondFactorChanged, of: .person(viewer.id))
    if let token {
      context.startSession(token, lifetime: SessionStore.lifetime(viewer.role))
    }
    return set.codes
  }

  private func endOthers(
    _ viewer: Viewer, _ context: Context, in writer: WriteTransaction
  ) throws -> Token? {
    switch CurrentSession.own(context) {
    case .browser(let token)?:
      return try services.sessions.renew(token, of: viewer.id, in: writer)
    case .app?, nil:
      _ = try services.settings.sessions.endOthers(
        of: viewer.id, butNot: CurrentSession.own(context), in: writer)
      return nil
    }
  }

  /// There is nothing to change where nothing is on, and staff can't do without.
  func allow(_ change: SecondFactorChange, _ viewer: Viewer) throws {
    guard try services.secondFactor.isOn(viewer.id) else { throw Problem.notFound }
    if change == .off, try services.staff.isStaff(viewer.id) { throw Problem.notFound }
  }

  /// Does a change in the transaction that uses the code up; false for a wrong code.
  func change(
    with code: String, _ context: Context, _ body: (WriteTransaction) throws -> Void
  ) throws -> Bool {
    let viewer = try context.signedIn()
    let attempt = try attempt(code, of: viewer, context)
    let verdict = try services.site.database.write { writer in
      let verdict = try services.secondFactor.judge(attempt, now: context.now, in: writer)
      if verdict != .wrong { try body(writer) }
      return verdict
    }
    context.note(verdict, of: viewer.id)
    if verdict != .wrong { context.note(.secondFactorChanged, of: .person(viewer.id)) }
    return verdict != .wrong
  }

  /// Asks for a code where a second factor is on, and uses it up: notes an error for `code` unless
  /// it is right. Not asked before the rest is right, so that no code is wasted.
  func check(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let viewer = try context.signedIn()
    guard errors.isEmpty, try services.secondFactor.isOn(viewer.id) else { return }
    guard !context.form["code"].asOneLine.isEmpty else {
      errors["code"] = .empty("code")
      return
    }
    let attempt = try attempt(context.form["code"], of: viewer, context)
    let verdict = try services.site.database.write {
      try services.secondFactor.judge(attempt, now: context.now, in: $0)
    }
    context.note(verdict, of: viewer.id)
    if verdict == .wrong { errors["code"] = FieldError("error.code_wrong") }
  }

  private func attempt(
    _ code: String, of viewer: Viewer, _ context: Context
  ) throws -> SecondFactorService.Attempt {
    let isKnown = try services.isKnownDevice(viewer.id, context)
    return try services.secondFactor.attempt(
      code, of: viewer.id, on: isKnown ? .browser(viewer.id) : nil, now: context.now)
  }
}
