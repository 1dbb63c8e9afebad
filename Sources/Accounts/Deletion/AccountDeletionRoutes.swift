import Web

/// The routes of deletion, restoring and export (docs/developer/pages-and-forms.md#addresses).
enum AccountDeletionRoutes {
  static func all(_ services: AccountsEnvironment) throws -> [Route] {
    let delete = try DeleteAccountPages(services)
    let restore = try RestorePages(services)
    let export = try ExportPages(services)
    return [
      Route(
        .get, AccountLinks.deleteAccount, .atLeast(.guest), options: .noStore,
        handler: delete.show),
      Route(
        .post, AccountLinks.deleteAccount, .atLeast(.guest), options: .noStore,
        handler: delete.delete),
      Route(
        .get, AccountLinks.accountDeleted, .signedOut, options: .noStore, handler: delete.farewell),
      Route(.get, AccountLinks.restore, .signedOut, options: .noStore, handler: restore.show),
      Route(.post, AccountLinks.restore, .signedOut, options: .noStore, handler: restore.restore),
      Route(.get, AccountLinks.export, .atLeast(.guest), options: .noStore, handler: export.show),
      Route(
        .post, AccountLinks.export, .atLeast(.guest), options: .noStore, handler: export.begin),
      Route(
        .get, "\(AccountLinks.export)/:id", .atLeast(.guest), options: .noStore,
        handler: export.send),
    ]
  }
}
