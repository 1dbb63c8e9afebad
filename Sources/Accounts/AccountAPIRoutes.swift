import Web

/// The API routes for couples and accounts (docs/api/other-calls.md#couples-posts-account-wallet).
enum AccountAPIRoutes {
  static func all(_ services: AccountsEnvironment) -> [Route] {
    CoupleAPI(services).routes + PairAPI(services).routes + SeparationAPI(services).routes
      + ExportAPI(services).routes + AccountDeletionAPI(services).routes
      + RestoreAPI(services).routes
      + SessionAPI(services).routes + SecondFactorAPI(services).routes
  }
}
