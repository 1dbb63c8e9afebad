import Core
import Database

extension PostStore {
  /// Promotions looked up per query: more than three, since some may be of couples that a block
  /// separates from this viewer.
  private static let atOnce = 12

  /// The first of these promotions that "Everyone" may show this viewer, in their order; none of
  /// the viewer's own couple.
  func promoted(
    _ running: [FeedPromotion], for viewer: Viewer, maximum: Int, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    var found: [PostSummary] = []
    for start in stride(from: 0, to: running.count, by: Self.atOnce) {
      let some = running[start..<min(start + Self.atOnce, running.count)]
      let posts = try open(some.map(\.post), for: viewer, in: reader)
      for promotion in some where found.count < maximum {
        guard var post = posts.first(where: { $0.id == promotion.post }) else { continue }
        post.promotedUntil = promotion.until
        found.append(post)
      }
      if found.count == maximum { break }
    }
    return found
  }

  private func open(
    _ ids: [ID<Post>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [PostSummary] {
    try reader.rows(
      """
      SELECT \(PostSummary.columns(for: viewer)) FROM posts p \(PostSummary.joins)
      WHERE p.id IN \(IDList(ids)) AND p.couple_id IS DISTINCT FROM \(viewer.couple?.id)
        AND \(PostVisibility.open)
        AND \(PostVisibility.isNotBlocked(for: viewer.couple?.id))
      """, make: PostSummary.init)
  }
}
