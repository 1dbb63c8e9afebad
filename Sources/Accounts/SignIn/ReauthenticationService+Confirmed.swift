import Core
import Web

/// Members without a password confirm on `/settings/confirm` that it is them. The browser carries
/// that to the page of the action in a sealed cookie, for this session and action.
extension ReauthenticationService {
  private static let confirmed = SealedCookie(name: "confirmed", lifetime: .minutes(10))

  private func mark(_ context: Context) -> String {
    CodeBinding(action, context).text
  }

  func isConfirmed(_ context: Context) -> Bool {
    guard let viewer = context.viewer else { return false }
    return Self.confirmed.read(for: viewer.id, context) == mark(context)
  }

  func confirm(_ context: Context) throws {
    try Self.confirmed.set(mark(context), for: context.signedIn().id, context)
  }

  /// Leads a member without a password to the page that asks, and from there back to `next`; nil
  /// for others, who answer in the form, and once it is confirmed.
  func detour(next: String, _ context: Context) throws -> Response? {
    let viewer = try context.signedIn()
    guard viewer.role >= .member, !isConfirmed(context),
      try services.people.passwordHash(of: viewer) == nil
    else { return nil }
    return .seeOther(AccountLinks.confirm(action, next: next))
  }
}
