import Jobs
import Web

/// The recurring and other jobs of this module.
enum AccountJobs {
  static func all(_ services: AccountsEnvironment) -> [JobKind] {
    [
      .recurring("accounts.purge-registrations", every: .hours(1)) {
        try services.registration.registrations.purge(now: $0)
      },
      .recurring("accounts.finish-partings", every: .hours(1)) {
        try services.parting.finishDue(now: $0)
      },
      .recurring("accounts.purge-invitations", every: .hours(1)) {
        try services.purge([PairStore.links], now: $0)
      },
      .recurring("accounts.purge-sessions", every: .hours(6)) {
        try services.sessions.purge(now: $0)
        try services.tokens.purge(now: $0)
      },
      .recurring("accounts.purge-email-changes", every: .hours(6)) {
        try services.purge([EmailChangeStore.links, EmailUndoStore.links], now: $0)
      },
      .recurring("accounts.purge-second-factors", every: .hours(1)) {
        try services.secondFactor.purge(now: $0)
        try services.secondFactor.store.rehash()
        try services.purge([PendingSignInStore.tokens, StaffStore.links], now: $0)
        try services.purgeMailedCodes(now: $0)
        try services.purgePasskeyChallenges(now: $0)
      },
      .recurring("accounts.purge-people", every: .hours(1), lease: .hours(1)) {
        try services.accountDeletion.purgeDue(now: $0)
      },
      .recurring("accounts.purge-exports", every: .hours(1)) {
        try services.accountDeletion.purgeExports(now: $0)
      },
      JobKind(ExportJob.jobKind, lease: .minutes(30)) {
        try ExportJob(services).run($0, now: $1)
      },
    ]
  }
}
