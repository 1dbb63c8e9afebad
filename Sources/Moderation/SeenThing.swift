import Basics
import Database
import Web

/// A reported thing as far as moderators may see it: nothing when it is gone, or the two's alone.
struct SeenThing {
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
    _ found: Case, _ services: ModerationServices, now: Instant
  ) throws -> SeenThing {
    switch found.thing {
    case .post(let id):
      guard let card = try services.posts.card(id) else {
        let couple = try services.site.database.read { reader in
          try found.couple.flatMap { try services.standings.couple($0, in: reader) }
        }
        return SeenThing(name: couple?.name ?? "", isThere: false)
      }
      return SeenThing(
        name: card.coupleName, author: card.authorName, words: card.content,
        pictures: card.pictures, createdAt: card.createdAt, isEdited: card.isEdited)
    case .couple(let id):
      let couple = try services.site.database.read {
        try services.standings.couple(id, in: $0)
      }
      guard let couple else { return SeenThing(isThere: false) }
      return SeenThing(name: couple.name, words: couple.bio)
    case .person(let id):
      let person = try services.site.database.read {
        try services.standings.person(id, now: now, in: $0)
      }
      guard let person else { return SeenThing(isThere: false) }
      return SeenThing(name: person.name)
    }
  }
}
