import Core
import Database
import Secrets
import Web

/// Turns a user's second factor on and off, for pages and API. The caller reauthenticates before.
struct SecondFactorSettingsService {
  let services: AccountsEnvironment

  /// Turns the waiting secret on; returns the recovery codes, or nil if the code is wrong. All
  /// other sessions end, since they began with the password alone. The current one gets a new
  /// token, since it may have gained rights.
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

  /// Throws 404 if no second factor is on, and if staff want to turn theirs off.
  func allow(_ change: SecondFactorChange, _ viewer: Viewer) throws {
    guard try services.secondFactor.isOn(viewer.id) else { throw Problem.notFound }
    if change == .off, try services.staff.isStaff(viewer.id) { throw Problem.notFound }
  }

  /// Makes a change in the transaction that uses the code up; returns false for a wrong code.
  func change(
    with code: String, _ context: Context, _ body: (WriteTransaction) throws -> Void
  ) throws -> Bool {
    let viewer = try context.signedIn()
    let attempt = try attempt(code, of: viewer, context)
    let verdict = try services.site.database.write { writer in
      let verdict = try services.secondFactor.verify(attempt, now: context.now, in: writer)
      if verdict != .wrong { try body(writer) }
      return verdict
    }
    context.note(verdict, of: viewer.id)
    if verdict != .wrong { context.note(.secondFactorChanged, of: .person(viewer.id)) }
    return verdict != .wrong
  }

  /// Verifies and uses up a code if a second factor is on; adds an error for `code` if it is wrong.
  /// Does nothing if there are other errors, so that no code is wasted.
  func check(_ context: Context, _ errors: inout [String: FieldError]) throws {
    let viewer = try context.signedIn()
    guard errors.isEmpty, try services.secondFactor.isOn(viewer.id) else { return }
    guard !context.form["code"].asOneLine.isEmpty else {
      errors["code"] = .empty("code")
      return
    }
    let attempt = try attempt(context.form["code"], of: viewer, context)
    let verdict = try services.site.database.write {
      try services.secondFactor.verify(attempt, now: context.now, in: $0)
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
