import Core
import Web

/// Posts of the API's lists as JSON, kept ready for all viewers who see the same of a post.
struct PostResponseCache: Sendable {
  private static let maximumBytes = 4 << 20

  /// Everything that a response depends on, besides the origin of this instance.
  private struct Key: Hashable, Sendable {
    let post: ID<Post>
    let version: PostVersion
    let isLiked: Bool
    let isSaved: Bool
    let promotedUntil: Instant?
    let days: Int?
  }

  private let cache: PostCache<Key>

  init(posts: PostStore) {
    cache = PostCache(posts, maximumBytes: Self.maximumBytes)
  }

  /// The responses for posts that the viewer of this request was found to see.
  func all(_ posts: [PostSummary], _ context: Context) throws -> [ReadyPostResponse] {
    let (when, baseURL) = (DateFormatting(context), context.site.baseURL)
    return try cache.forms(
      of: posts, for: context.viewer,
      key: {
        Key(
          post: $0.id, version: $0.version, isLiked: $0.isLiked, isSaved: $0.isSaved,
          promotedUntil: $0.promotedUntil, days: when.daysTogether(since: $0.anniversary))
      },
      make: { post in
        var output = JSONOutput()
        PostResponse(post, baseURL: baseURL, today: when.today).write(to: &output)
        return output.bytes
      }
    ).map { ReadyPostResponse(json: $0) }
  }
}

/// A `PostResponse` that was written before.
struct ReadyPostResponse: JSONEncodable {
  let json: [UInt8]

  static var jsonSchema: JSONSchema { PostResponse.jsonSchema }
  static var jsonExample: JSON { PostResponse.jsonExample }

  func write(to output: inout JSONOutput) { output.append(raw: json) }
}
