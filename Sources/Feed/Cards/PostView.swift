import Accounts
import Core
import Images
import Templates
import Web

/// A post as a card.
struct PostView: View {
  let post: Post
  let options: PostCardOptions
  let images: [PictureView]
  let days: DaysTogetherView?
  let people: [AvatarView]
  let age: String
  let content: Markup

  init(_ post: Post, _ permissions: PostPermissions, _ when: DateFormatting) {
    self.post = post
    let options = permissions.options(for: PostSummary(post))
    self.options = options
    let address = options.contains(.hasPublicPictures) ? permissions.mediaURL ?? "" : ""
    images = post.pictures.enumerated().map {
      PictureView($0.element, position: $0.offset + 1, of: post, at: address)
    }
    days = when.daysTogether(since: post.anniversary).map(DaysTogetherView.init)
    people = post.people.map(AvatarView.init)
    age = when.age(post.createdAt)
    content = LinkedText.markup(post.content)
  }

  static let fields: [String: Field<PostView>] = [
    "id": .text { $0.post.id.description },
    "link": .text { FeedLinks.post($0.post.id) },
    "couple_name": .text { $0.post.coupleName },
    "couple_link": .text { FeedLinks.couple($0.post.couple) },
    "days": .optional { $0.days },
    "author_name": .text { $0.post.authorName },
    "age": .text { $0.age },
    "created_iso": .text { $0.post.createdAt.rfc3339 },
    "edited": .flag { $0.post.editedAt != nil },
    "public": .flag { $0.post.visibility == .everyone },
    "followers": .flag { $0.post.visibility == .followers },
    "couple": .flag { $0.post.visibility == .couple },
    "content": .markup { $0.content },
    "has_content": .flag { !$0.post.content.isEmpty },
    "people": .list { $0.people },
    "images": .list { $0.images },
    "grid": .optionalText { $0.images.isEmpty ? nil : String($0.images.count) },
    "like_count": .integer { $0.post.likeCount },
    "comment_count": .integer { $0.post.commentCount },
    "liked": .flag { $0.options.contains(.liked) },
    "like_link": .text { FeedLinks.like($0.post.id) },
    "unlike_link": .text { FeedLinks.unlike($0.post.id) },
    "may_like": .flag { $0.options.contains(.mayLike) },
    "join_link": .optionalText {
      $0.options.contains(.mayJoin)
        ? AccountLinks.becomeMember(next: FeedLinks.post($0.post.id)) : nil
    },
    "save_link": .text {
      $0.options.contains(.saved) ? FeedLinks.unsave($0.post.id) : FeedLinks.save($0.post.id)
    },
    "saved": .flag { $0.options.contains(.saved) },
    "own": .flag { $0.options.contains(.own) },
    "promoted": .flag { $0.options.contains(.promoted) },
    "promote_link": .optionalText {
      $0.options.contains(.mayPromote) ? FeedLinks.promote($0.post.id) : nil
    },
    "ours": .flag { !$0.options.isDisjoint(with: [.own, .partners]) },
    "narrow_link": .optionalText {
      $0.options.contains(.partners) && $0.post.visibility != .couple
        ? FeedLinks.narrow($0.post.id) : nil
    },
    "edit_link": .text { FeedLinks.edit($0.post.id) },
    "report_link": .optionalText {
      $0.options.contains(.mayReport) ? FeedLinks.report($0.post.id) : nil
    },
    "delete_link": .text { FeedLinks.delete($0.post.id) },
  ]
}

/// Days together.
struct DaysTogetherView: View {
  let count: Int

  static let fields: [String: Field<DaysTogetherView>] = ["count": .integer { $0.count }]
}

extension DateFormatting {
  /// The number of today, counted from an anniversary.
  func daysTogether(since anniversary: LocalDay?) -> Int? {
    anniversary.map { DaysTogether.days(since: $0, today: today) }
  }
}

/// A picture of a post in the sizes that a card needs.
struct PictureView: View {
  let picture: Picture
  let position: Int
  let post: ID<Post>
  let couple: ID<Couple>
  /// The beginning of addresses; empty for this instance's own.
  private let address: String

  init(_ picture: Picture, position: Int, of post: Post, at address: String) {
    self.address = address
    self.picture = picture
    self.position = position
    self.post = post.id
    couple = post.couple
  }

  private func source(_ variant: PictureVariant, _ fileExtension: String? = nil) -> String {
    address
      + FeedLinks.picture(
        picture, variant, of: post, couple: couple, fileExtension: fileExtension)
  }

  static let fields: [String: Field<PictureView>] = [
    "position": .integer { $0.position },
    "link_full": .text { FeedLinks.picture($0.position, of: $0.post) },
    "src_medium": .text { $0.source(.medium) },
    "src_medium_webp": .optionalText { $0.picture.hasWebP ? $0.source(.medium, "webp") : nil },
    "src_thumb": .text { $0.source(.thumb) },
    "src_thumb_webp": .optionalText { $0.picture.hasWebP ? $0.source(.thumb, "webp") : nil },
    "alt": .text { $0.picture.description },
    "width": .integer { $0.picture.width },
    "height": .integer { $0.picture.height },
  ]
}
