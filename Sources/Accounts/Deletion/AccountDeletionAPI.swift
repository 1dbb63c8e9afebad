import Core
import Web

/// `DELETE /api/v1/account`: deletes a member's account, which can be restored for a while; a guest
/// is purged at once.
struct AccountDeletionAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .delete, "/account", .atLeast(.guest),
        Operation(
          "Delete your account", .account,
          note: "Requires reauthentication. Ends all sessions immediately. A member can restore "
            + "the account within 30 days; a guest cannot.",
          errors: [.conflict, .reauthenticationRequired, .rateLimited, .unavailable]),
        handler: leave)
    ]
  }

  struct DeletedAccountResponse: JSONResponse {
    let restoreUntil: Instant?

    static let jsonName = "DeletedAccount"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("restore_until", note: "Null for guests.") { $0.restoreUntil }
    ]
  }

  @Sendable private func leave(_ input: ReauthenticationRequest, _ context: Context) throws
    -> Accepted<DeletedAccountResponse>
  {
    let viewer = try context.signedIn()
    try input.check(for: .deleteAccount, services, context)
    let isGuest = viewer.role == .guest
    if isGuest {
      try services.accountDeletion.forget(guest: viewer, now: context.now)
    } else {
      try services.accountDeletion.delete(viewer, context)
    }
    if context.tokenFamily == nil {
      if isGuest {
        GuestCreator.newCode.clear(context)
        TrustedDeviceCookie.forget(context)
      }
      context.endSession()
    }
    return Accepted(
      DeletedAccountResponse(
        restoreUntil: isGuest ? nil : AccountDeletionService.restoreUntil(context.now)))
  }
}
