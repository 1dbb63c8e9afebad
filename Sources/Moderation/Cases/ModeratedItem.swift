import Core
import Database
import Web

/// A reported item as moderators may see it; empty if deleted or visible to the couple only.
struct ModeratedItem {
  var name = ""
  /// Author of a post, comment, message or moment.
  var author = ""
  var text = ""
  /// The texts that a message had at earlier reports, and has now.
  var otherTexts: [String] = []
  var pictures: [ReportedPicture] = []
  var voice: ReportedVoice?
  /// The path of the film of a moment, whose still image is the picture.
  var film: String?
  /// The messages around a message, with itself, the oldest first.
  var context: [ReportedMessageLine] = []
  var createdAt: Instant?
  var isEdited = false
  /// Whether the item can be seen.
  var isThere = true

  /// Reads its current state.
  static func find(
    _ found: ReportCase, _ services: ModerationEnvironment, now: Instant
  ) throws -> ModeratedItem {
    switch found.target {
    case .post(let id):
      guard let card = try services.posts.card(id) else {
        let couple = try services.site.database.read { reader in
          try found.couple.flatMap { try services.moderationStatuses.couple($0, in: reader) }
        }
        return ModeratedItem(name: couple?.name ?? "", isThere: false)
      }
      return ModeratedItem(
        name: card.coupleName, author: card.authorName, text: card.content,
        pictures: card.pictures, createdAt: card.createdAt, isEdited: card.isEdited)
    case .comment(let id):
      guard let card = try services.comments.card(id) else { return ModeratedItem(isThere: false) }
      return ModeratedItem(
        name: card.coupleName, author: card.authorName, text: card.content,
        createdAt: card.createdAt)
    case .message(let id):
      guard let card = try services.messages.card(id) else { return ModeratedItem(isThere: false) }
      return ModeratedItem(
        name: card.coupleName, author: card.authorName, text: card.content,
        otherTexts: card.otherTexts, pictures: card.pictures, voice: card.voice,
        context: card.context,
        createdAt: card.createdAt, isEdited: card.isEdited)
    case .moment(let id):
      guard let card = try services.moments.card(id) else { return ModeratedItem(isThere: false) }
      return ModeratedItem(
        name: card.coupleName, author: card.authorName, text: card.content,
        pictures: [card.picture], film: card.film, createdAt: card.createdAt)
    case .couple(let id):
      let couple = try services.site.database.read {
        try services.moderationStatuses.couple(id, in: $0)
      }
      guard let couple else { return ModeratedItem(isThere: false) }
      return ModeratedItem(name: couple.name, text: couple.bio)
    case .person(let id):
      let person = try services.site.database.read {
        try services.moderationStatuses.person(id, now: now, in: $0)
      }
      guard let person else { return ModeratedItem(isThere: false) }
      return ModeratedItem(name: person.name)
    }
  }
}
