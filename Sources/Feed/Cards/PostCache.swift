import Core

/// Posts in a ready form, such as HTML cards. Lists read only summaries; the rest of a post is read
/// when its form is not ready.
struct PostCache<Key: Hashable & Sendable>: Sendable {
  private let posts: PostStore
  private let ready: ByteCache<Key>

  init(_ posts: PostStore, maximumBytes: Int) {
    self.posts = posts
    ready = ByteCache(maximumBytes: maximumBytes)
  }

  /// The forms of posts that this viewer was found to see, in their order. A post that the viewer
  /// may no longer see when the rest of it is read is left out.
  func forms(
    of summaries: [PostSummary], for viewer: Viewer?, key: (PostSummary) -> Key,
    make: (Post) -> [UInt8]
  ) throws -> [[UInt8]] {
    var forms = ready.values(summaries.map(key))
    let missing = summaries.indices.filter { forms[$0] == nil }
    guard !missing.isEmpty else { return forms.compactMap(\.self) }
    let found = try posts.visible(missing.map { summaries[$0].id }, to: viewer)
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    for place in missing {
      guard var post = byID[summaries[place].id] else { continue }
      post.promotedUntil = summaries[place].promotedUntil
      let form = make(post)
      ready.put(form, for: key(PostSummary(post)))
      forms[place] = form
    }
    return forms.compactMap(\.self)
  }
}
