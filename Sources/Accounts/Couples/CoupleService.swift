import Core
import Database
import Web

/// Changes of a couple by either partner, for pages and API.
struct CoupleService {
  /// The submitted fields; nil fields stay as they are.
  struct Input {
    var name: String?
    var anniversary: String?
    var bio: String?
  }

  /// The validated result: the submitted values merged with the existing ones.
  struct Change {
    let name: String
    let anniversary: LocalDay?
    let bio: String
  }

  let services: AccountsEnvironment

  /// A couple that the viewer may see. Throws 404 otherwise.
  func seen(_ id: ID<Couple>, by viewer: Viewer?) throws -> CoupleProfile {
    guard let card = try services.couples.visible(id, to: viewer) else { throw Problem.notFound }
    return card
  }

  /// The viewer's own couple. Throws 403 for another visible couple and 404 otherwise. A frozen
  /// couple cannot be changed, since both former partners see it
  /// (docs/developer/product.md#parting).
  func own(_ id: ID<Couple>, of viewer: Viewer?) throws -> CoupleProfile {
    let card = try seen(id, by: viewer)
    guard card.id == viewer?.couple?.id, card.status != .frozen else { throw Problem.forbidden }
    return card
  }

  /// Validates the input. A couple of one has no anniversary.
  static func check(
    _ sent: Input, of card: CoupleProfile, now: Instant, _ errors: inout [String: FieldError]
  ) -> Change {
    let name = sent.name.map {
      AccountRules.name(
        $0, limits: AccountRules.coupleNameLimits, field: "couple_name", &errors)
    }
    var day = card.anniversary
    if let entered = sent.anniversary, card.status != .single {
      day = AccountRules.anniversary(entered, now: now, &errors)
    }
    let bio = sent.bio?.asParagraphs ?? card.bio
    if !AccountRules.bioLimits.allow(bio) { errors["bio"] = FieldError("error.bio_long") }
    return Change(
      name: name ?? card.name, anniversary: card.status == .single ? nil : day, bio: bio)
  }

  /// Throws 403 if the couple is no longer the viewer's, or has been frozen since.
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
