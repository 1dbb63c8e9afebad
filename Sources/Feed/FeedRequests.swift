import Core
import Web

/// Query parameters of a list of posts.
struct PostsQuery: ListRequest {
  /// Lists of posts.
  enum Scope: String, JSONEnum {
    case everyone
    case following
    case couple
  }

  /// Whether it is the list that starts with promoted posts.
  var isOfEveryone: Bool { scope.map { $0 == .everyone } ?? (couple == nil) }

  var scope: Scope?
  var couple: ID<Couple>?
  var limit = 20
  var cursor: String?

  static let jsonFields: [InputField<Self>] =
    [
      .optional(
        "scope",
        note:
          "All posts visible to you, those of couples that you follow, or those of one couple. "
          + "If omitted: `couple` with a `couple_id`, otherwise `everyone`."
      ) { $0.scope = $1 },
      .optional("couple_id", note: "Your own couple if omitted.") { $0.couple = $1 },
    ] + listFields()
}

/// An author's change of a post.
struct PostChangeRequest: JSONRequest {
  var content: String?
  var visibility: Visibility?
  var images: [PictureChangeRequest]?

  /// Maximum number of pictures of a post.
  private static let asMany: JSON = ["maxItems": .integer(Int64(PostRules.maximumImages))]

  static let jsonName = "PostChange"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "content", limits: .paragraphs, note: "Up to 2,000 characters.", example: "Our first walk"
    ) {
      $0.content = $1
    },
    .optional("visibility") { $0.visibility = $1 },
    .optional(
      "images", note: "In their new order; omitted pictures are removed.",
      bounds: asMany
    ) {
      $0.images = $1
    },
  ]
}

/// A picture that a post keeps.
struct PictureChangeRequest: JSONRequest {
  var id: ID<PostImage> = .random()
  var description: String?

  static let jsonName = "PostImageChange"
  static let jsonFields: [InputField<Self>] = [
    .required("id") { $0.id = $1 },
    .optional("description", note: "Unchanged if omitted. Cut off after 300 characters.") {
      $0.description = $1
    },
  ]
}
