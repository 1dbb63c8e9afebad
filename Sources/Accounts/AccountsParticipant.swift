import Core
import Database
import Foundation
import Mail
import Secrets
import Web

/// This module's own participant.
struct AccountsParticipant: AccountParticipant {
  let people: PersonStore
  let emailChanges: EmailChangeStore
  let deletions: DeletionStore
  let exports: ExportStore
  let mailQueue: MailQueue

  let tables = [
    // `ExportStore` and `DeletionStore` remove the rows of these three.
    PersonalTable("exports", purge: .custom),
    PersonalTable("registration_sides", purge: .custom),
    PersonalTable("verification_tokens", purge: .custom),
    PersonalTable("provider_identities"), PersonalTable("passkeys"),
    PersonalTable("totp_secrets"), PersonalTable("recovery_codes"),
    PersonalTable("waiting_sign_ins"), PersonalTable("staff_enrolments"),
    PersonalTable("idempotency_keys", owner: "person_id", merge: .delete),
    PersonalTable("sessions", merge: .delete), PersonalTable("refresh_families", merge: .delete),
    PersonalTable("device_bindings", merge: .delete), PersonalTable("known_devices"),
    PersonalTable("mailed_codes"), PersonalTable("email_changes"), PersonalTable("email_undos"),
    PersonalTable("registrations", owner: "guest_id", purge: .clear),
    PersonalTable("guest_codes", merge: .delete),
    PersonalTable("guest_recovery_codes", merge: .delete),
    PersonalTable("pair_invitations", owner: "inviter_id"),
    PersonalTable("partings", owner: "undo_asked_by", purge: .clear),
    PersonalTable("deletions"), PersonalTable("couple_members"),
    PersonalTable("users", owner: "id"),
  ]

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let earlier = try MembershipStore().former(of: person, in: reader).map(\.name)
    let invited = try PairStore(keys: people.keys)
      .kept(of: person, in: reader)?.email
    let account = try reader.first(
      """
      SELECT u.display_name, u.email_sealed, u.language, u.units, u.time_zone, u.time_zone_chosen,
        u.time_zone_declined, u.terms_version, u.terms_accepted_at, u.created_at, c.name,
        c.anniversary, c.bio, c.status
      FROM users u LEFT JOIN couples c ON c.id = u.couple_id WHERE u.id = \(person)
      """
    ) { row in
      ExportedAccount(
        displayName: try row.next(),
        email: try row.next([UInt8]?.self).map {
          try PersonStore.email.open($0, of: person, with: people.keys)
        },
        language: try row.next(), units: try row.next(), timeZone: try row.next(),
        timeZoneChosen: try row.next(),
        timeZoneDeclined: try row.next(), termsVersion: try row.next(),
        termsAcceptedAt: try row.next(Instant.self).rfc3339,
        createdAt: try row.next(Instant.self).rfc3339, coupleName: try row.next(),
        anniversary: try row.next(LocalDay?.self)?.description, bio: try row.next(),
        coupleStatus: try row.next(), earlierCouples: earlier,
        invitedPartner: invited)
    }
    guard let account else { return [] }
    let file = try ExportedFile(name: "account.json", encoding: account)
    let others =
      try [SessionListStore.export(person, from: reader)]
      + DeviceStore.export(person, from: reader)
      + SecondFactorExport.export(person, from: reader)
      + ProviderExport.export(person, with: people.keys, from: reader)
      + PasskeyExport.export(person, from: reader)
    guard
      let wished = try emailChanges.pending(of: person, now: Instant(milliseconds: 0), in: reader)
    else {
      return [file] + others
    }
    let change = ["address": wished.email, "until": wished.expiresAt.rfc3339]
    return [
      file, try ExportedFile(name: "email-change.json", encoding: change),
    ] + others
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  {
    let avatar = try reader.value("SELECT avatar FROM users WHERE id = \(person)", as: String?.self)
    guard let path = avatar ?? nil else { return [] }
    return [
      ExportedMedia(
        path: AvatarFiles.originalPath(thumbPath: path), name: "photos/avatar.jpg")
    ]
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    let row = try writer.first(
      "SELECT avatar, couple_id, email_hash, deleted_at FROM users WHERE id = \(person)"
    ) {
      (
        avatar: try $0.next(String?.self), couple: try $0.next(ID<Couple>?.self),
        emailHash: try $0.next([UInt8]?.self), deletedAt: try $0.next(Instant?.self)
      )
    }
    guard let row else { return [] }
    try forgetAddress(
      of: person, hash: row.emailHash, until: row.deletedAt ?? now, in: writer)
    var paths = AvatarFiles.paths(thumbPath: row.avatar)
    paths += try exports.removeAll(of: person, in: writer)
    try deletions.endLinks(of: person, in: writer)
    let couples = try writer.values(
      "SELECT DISTINCT couple_id FROM couple_members WHERE user_id = \(person)",
      as: ID<Couple>.self)
    try CoupleNames.forget(person, in: couples, writer)
    try tables.purge(person, in: writer)
    // A partner stays as a couple of one (docs/developer/product.md#deleted-partners).
    try writer.execute(
      """
      UPDATE couples SET status = 'single', anniversary = NULL
      WHERE id = \(row.couple) AND status = 'active'
      """)
    for couple in couples { paths += try deletions.removeIfUnused(couple, in: writer) }
    return paths
  }

  /// Removes mails and registrations of the address from before the deletion. Later ones belong to
  /// the address's current user.
  private func forgetAddress(
    of person: ID<Person>, hash: [UInt8]?, until moment: Instant, in writer: WriteTransaction
  ) throws {
    if let recipient = try people.recipient(person, language: .english, in: writer) {
      try mailQueue.forget(recipient.address, until: moment, in: writer)
    }
    if let hash {
      try deletions.removeRegistrations(emailHash: hash, until: moment, in: writer)
    }
  }

  /// The guest's settings do not replace those of the member. The guest is then deleted.
  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try tables.merge(guest: guest, into: member, in: writer)
    try writer.execute("UPDATE users SET deleted_at = \(now) WHERE id = \(guest)")
  }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Nothing to do: `AccountDeletionService` itself does this module's part.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Nothing to do: `AccountDeletionService` itself does this module's part.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Nothing here is counted in days of a time zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The session ends with its cookie; nothing else of this module depends on a browser.
  }
}

private struct ExportedAccount: Encodable {
  let displayName: String
  let email: String?
  let language: String?
  let units: String?
  let timeZone: String?
  let timeZoneChosen: Bool
  let timeZoneDeclined: String?
  let termsVersion: String
  let termsAcceptedAt: String
  let createdAt: String
  let coupleName: String?
  let anniversary: String?
  let bio: String?
  let coupleStatus: String?
  let earlierCouples: [String]
  let invitedPartner: String?
}
