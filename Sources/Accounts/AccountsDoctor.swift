import Core
import Database
import Jobs
import Secrets

/// Invariants of this module's tables.
struct AccountsDoctor: Sendable {
  let keys: KeyRing
  let clock: any Clock

  var checks: [DoctorCheck] {
    [
      Self.couplesHaveTheirMembers, Self.onePersonOneCouple, Self.appsHaveOneToken,
      exportsAreMade, everythingOpens,
    ]
  }

  private static let couplesHaveTheirMembers = DoctorCheck("couples have all their members") {
    try $0.rows(
      """
      SELECT lower(hex(c.id)), c.status, count(u.id) FROM couples c
      LEFT JOIN users u ON u.couple_id = c.id
      GROUP BY c.id
      HAVING (c.status = 'active' AND count(u.id) <> 2)
        OR (c.status = 'pending' AND count(u.id) <> 1)
        OR (c.status = 'single' AND (count(u.id) > 1 OR (count(u.id) = 0
          AND NOT EXISTS (SELECT 1 FROM couple_members m WHERE m.couple_id = c.id))))
      """
    ) {
      "couple \(try $0.next(String.self)) is \(try $0.next(String.self)) but has \(try $0.next(Int.self)) members"
    }
  }

  /// With two valid tokens, a thief and the owner could both keep refreshing.
  private static let appsHaveOneToken = DoctorCheck("app sign-ins have one refresh token each") {
    try $0.rows(
      """
      SELECT lower(hex(f.id)), count(t.token_hash) FROM refresh_families f
      LEFT JOIN refresh_tokens t ON t.family_id = f.id AND t.used_at IS NULL
      GROUP BY f.id HAVING count(t.token_hash) <> 1
      """
    ) {
      "app sign-in \(try $0.next(String.self)) has \(try $0.next(Int.self)) valid refresh tokens"
    }
  }

  /// `users.couple_id` agrees with the one open row of the history, and there is only one.
  private static let onePersonOneCouple = DoctorCheck("no user is in two couples") {
    try $0.rows(
      """
      SELECT lower(hex(u.id)), count(m.couple_id) FROM users u
      LEFT JOIN couple_members m ON m.user_id = u.id AND m.left_at IS NULL
      GROUP BY u.id
      HAVING count(m.couple_id) > 1
        OR (u.couple_id IS NOT NULL AND max(m.couple_id) IS DISTINCT FROM u.couple_id)
      """
    ) {
      "user \(try $0.next(String.self)) is in \(try $0.next(Int.self)) couples in the history, or in a different one"
    }
  }

  // MARK: Exports

  /// An export and its job are written in one transaction. Without the job the user waits forever
  /// and cannot request another export.
  private var exportsAreMade: DoctorCheck {
    DoctorCheck(
      "every requested export has a job",
      find: { try forgotten(in: $0).map { "export \($0) has no job" } },
      repair: { writer in
        for id in try forgotten(in: writer) {
          try JobStore.addReplacing(
            ExportJob.jobKind, payload: id.description, uniqueKey: ExportJob.jobKey(id),
            now: clock.now(), in: writer)
        }
      })
  }

  private func forgotten(in reader: ReadTransaction) throws -> [ID<PersonalExport>] {
    try reader.values("SELECT id FROM exports WHERE state = 'waiting'", as: ID<PersonalExport>.self)
      .filter {
        try !JobStore.has(
          ExportJob.jobKind, payload: $0.description, uniqueKey: ExportJob.jobKey($0),
          in: reader)
      }
  }

  // MARK: Keys

  private var everythingOpens: DoctorCheck {
    DoctorCheck("the keys decrypt account data") { reader in
      try samples(in: reader).flatMap { keys.problems($0.what, opening: $0.sample) }
    }
  }

  /// A few values of each kind, the newest first where the order is known.
  private func samples(in reader: ReadTransaction) throws -> [(
    what: String, sample: [EncryptedSample]
  )] {
    [
      ("addresses of users", try PersonStore.email.samples(in: reader)),
      (
        "addresses in registrations",
        try RegistrationStore.email(1).samples(in: reader)
          + RegistrationStore.email(2).samples(in: reader)
      ),
      ("pending new addresses", try EmailChangeStore.email.samples(in: reader)),
      ("previous addresses", try EmailUndoStore.email.samples(in: reader)),
      ("secrets of second factors", try SecondFactorStore.secret.samples(in: reader)),
      ("identities at providers", try ProviderIdentityStore.identity.samples(in: reader)),
      ("addresses of invitations", try PairStore.email.samples(in: reader)),
    ]
  }
}
