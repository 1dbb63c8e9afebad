import Core
import Database
import Web

/// What either partner changes of their couple, from pages and API.
struct CoupleService {
  /// What was sent: nil for what stays as it is.
  struct Input {
    var name: String?
    var anniversary: String?
    var bio: String?
  }

  /// What was sent, checked, over what there was.
  struct Change {
    let name: String
    let anniversary: LocalDay?
    let bio: String
  }

  let services: AccountsEnvironment

  /// A couple that this viewer sees; 404 else.
  func seen(_ id: ID<Couple>, by viewer: Viewer?) throws -> CoupleProfile {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    return card
  }

  /// The viewer's own couple: another's is 403 where it can be seen, else 404. A frozen one stays
  /// as it was: neither of the two rewrites what both see (docs/developer/product.md#parting).
  func own(_ id: ID<Couple>, of viewer: Viewer?) throws -> CoupleProfile {
    let card = try seen(id, by: viewer)
    guard card.id == viewer?.couple?.id, card.status != .frozen else { throw Problem.forbidden }
    return card
  }

  /// Who is alone has no day together.
  static func check(
    _ sent: Input, of card: CoupleProfile, now: Instant, _ errors: inout [String: FieldError]
  ) -> Change {
    let name = sent.name.map {
      AccountRules.name(
        $0, most: AccountRules.coupleNameMost, field: "couple_name", &errors)
    }
    var day = card.anniversary
    if let typed = sent.anniversary, card.status != .single {
      day = AccountRules.anniversary(typed, now: now, &errors)
    }
    let bio = sent.bio?.asParagraphs ?? card.bio
    if !AccountRules.bioMost.allow(bio) { errors["bio"] = FieldError("error.bio_long") }
    return Change(
      name: name ?? card.name, anniversary: card.status == .single ? nil : day, bio: bio)
  }

  /// Throws 403 when the couple isn't the viewer's any more, or frozen meanwhile.
  func save(
    _ change: Change, of couple: ID<Couple>, by viewer: Viewer, in writer: WriteTransaction
  ) throws {
    guard
      try services.couples.edit(
        couple, by: viewer, name: change.name, anniversary: change.anniversary, bio: change.bio,
        in: writer)
    else { throw Problem.forbidden }
  }
}
