import Core
import Database
import Web

/// A reported thing as far as moderators may see it: nothing when it is gone, or the two's alone.
struct ModeratedItem {
  var name = ""
  /// Who wrote a post.
  var author = ""
  var words = ""
  var pictures: [ReportedPicture] = []
  var createdAt: Instant?
  var isEdited = false
  /// Whether there is something to see.
  var isThere = true

  /// Looks at it now.
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
        name: card.coupleName, author: card.authorName, words: card.content,
        pictures: card.pictures, createdAt: card.createdAt, isEdited: card.isEdited)
    case .couple(let id):
      let couple = try services.site.database.read {
        try services.moderationStatuses.couple(id, in: $0)
      }
      guard let couple else { return ModeratedItem(isThere: false) }
      return ModeratedItem(name: couple.name, words: couple.bio)
    case .person(let id):
      let person = try services.site.database.read {
        try services.moderationStatuses.person(id, now: now, in: $0)
      }
      guard let person else { return ModeratedItem(isThere: false) }
      return ModeratedItem(name: person.name)
    }
  }
}
