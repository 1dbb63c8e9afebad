import Accounts
import Core
import Images
import Web

/// A post in the API.
struct PostResponse: JSONResponse {
  private let post: Post
  /// Prefix of the pictures' URLs.
  private let baseURL: String
  /// In the viewer's time zone.
  private let today: LocalDay

  init(_ post: Post, _ context: Context) {
    self.init(post, baseURL: context.site.baseURL, today: DateFormatting(context).today)
  }

  init(_ post: Post, baseURL: String, today: LocalDay) {
    self.post = post
    self.baseURL = baseURL
    self.today = today
  }

  private var couple: PostCoupleResponse {
    PostCoupleResponse(
      id: post.couple, name: post.coupleName, avatarURL: post.coupleAvatar.map { baseURL + $0 },
      daysTogether: post.anniversary.map { DaysTogether.days(since: $0, today: today) })
  }

  private var author: PostAuthorResponse {
    PostAuthorResponse(
      id: post.author, name: post.authorName, avatarURL: post.authorAvatar.map { baseURL + $0 })
  }

  private var images: [PostImageResponse] {
    post.pictures.map { PostImageResponse($0, of: post, baseURL: baseURL) }
  }

  static let jsonName = "Post"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.post.id },
    JSONField("couple") { $0.couple },
    JSONField("author") { $0.author },
    JSONField("content", note: "Plain text.", example: "Our first walk") { $0.post.content },
    JSONField("visibility") { $0.post.visibility },
    JSONField("images", note: "In order.") { $0.images },
    JSONField("like_count") { $0.post.likeCount },
    JSONField("liked", note: "Whether you like it.") { $0.post.isLiked },
    JSONField("saved", note: "Whether you saved it.") { $0.post.isSaved },
    JSONField("comment_count") { $0.post.commentCount },
    JSONField("is_promoted", example: false) { $0.post.promotedUntil != nil },
    JSONField("promoted_until", note: "Null if not promoted.") { $0.post.promotedUntil },
    JSONField("edited", example: false) { $0.post.editedAt != nil },
    JSONField("created_at") { $0.post.createdAt },
    JSONField("updated_at", note: "Time of the last edit, or of creation.") {
      $0.post.editedAt ?? $0.post.createdAt
    },
  ]
}

extension Visibility: JSONEnum {}

/// The couple of a post, as shown on a card.
struct PostCoupleResponse: JSONResponse {
  let id: ID<Couple>
  let name: String
  let avatarURL: String?
  let daysTogether: Int?

  static let jsonName = "PostCouple"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { $0.avatarURL },
    JSONField("days_together", note: "Null without a partner or anniversary.", example: 1500) {
      $0.daysTogether
    },
  ]
}

/// The author of a post.
struct PostAuthorResponse: JSONResponse {
  let id: ID<Person>
  let name: String
  let avatarURL: String?

  static let jsonName = "PostAuthor"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("display_name", example: "Mei") { $0.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { $0.avatarURL },
  ]
}

/// A picture of a post.
struct PostImageResponse: JSONResponse {
  let picture: Picture
  /// Common prefix of the three URLs, up to the size.
  private let place: String

  init(_ picture: Picture, of post: Post, baseURL: String) {
    self.picture = picture
    place = baseURL + FeedLinks.pictures(of: post.id, couple: post.couple)
  }

  private func url(_ variant: PictureVariant) -> String {
    place
      + variant.fileName(
        id: picture.id.description, fileExtension: picture.fileExtension)
  }

  static let jsonName = "PostImage"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.picture.id },
    JSONField("url", note: "Full size. Requires the access token unless the post is public.") {
      $0.url(.original)
    },
    JSONField("medium_url", note: "At most 800 px wide.") { $0.url(.medium) },
    JSONField("thumbnail_url", note: "300 × 300 px, cropped.") { $0.url(.thumb) },
    JSONField("width", note: "In px, at full size.", example: 1600) { $0.picture.width },
    JSONField("height", example: 1200) { $0.picture.height },
    JSONField("description", note: "Alternative text.") { $0.picture.description },
  ]
}

/// A page of posts.
struct PostsResponse: JSONResponse {
  let posts: [ReadyPostResponse]
  let next: String?

  static let jsonName = "Posts"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("posts", note: "Newest first.") { $0.posts },
    JSONField("next_cursor", note: "For older posts; null on the last page.") { $0.next },
  ]
}

/// Result of a like.
struct LikeResponse: JSONResponse {
  let post: Post

  static let jsonName = "Like"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("like_count") { $0.post.likeCount },
    JSONField("liked") { $0.post.isLiked },
  ]
}
