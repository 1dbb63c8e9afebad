import Core
import Database
import Templates
import Web

/// A viewer's report of a post that no moderator has decided about, from another module.
public struct OwnPostReport: Sendable {
  let post: ID<Post>
  /// Address that withdraws the report; nil once it is too late.
  let withdrawal: String?

  public init(post: ID<Post>, withdrawal: String?) {
    self.post = post
    self.withdrawal = withdrawal
  }
}

/// The line in place of a post that the viewer has reported, from which the post is unfolded.
struct FoldedPostView: View {
  let report: OwnPostReport
  let card: Markup
  /// The page to which taking the report back leads.
  let next: String

  static let fields: [String: Field<FoldedPostView>] = [
    "id": .text { $0.report.post.description },
    "card": .markup { $0.card },
    "withdraw_link": .optionalText { $0.report.withdrawal },
    "next": .text { $0.next },
  ]
}

/// The line in place of neighbouring posts that the viewer has reported.
struct FoldedPostsView: View {
  let posts: [FoldedPostView]

  static let fields: [String: Field<FoldedPostsView>] = [
    "id": .text { $0.posts.first?.report.post.description ?? "" },
    "count": .integer { $0.posts.count },
    "posts": .list { $0.posts },
  ]
}

extension FeedEnvironment {
  /// The cards of posts on the page `next`. Those of posts that the viewer has reported are folded,
  /// neighbours of them into one.
  func foldedCards(
    _ posts: [PostSummary], next: String, _ context: Context
  ) throws -> [CardView] {
    // No transaction for those who have no reports.
    guard let viewer = reporter(of: posts, context) else {
      return try cards.cards(posts, context)
    }
    let reports = try site.database.read { try ownReports(viewer, context, $0) }
    return try foldedCards(posts, reports, next: next, context)
  }

  /// The viewer's reports, if there are posts.
  func reports(
    of posts: [PostSummary], _ context: Context, in reader: ReadTransaction
  ) throws -> [OwnPostReport] {
    guard let viewer = reporter(of: posts, context) else { return [] }
    return try ownReports(viewer, context, reader)
  }

  /// The viewer who may have reported one of the posts. Guests can't report.
  private func reporter(of posts: [PostSummary], _ context: Context) -> Viewer? {
    guard let viewer = context.viewer, viewer.role >= .member, !posts.isEmpty else { return nil }
    return viewer
  }

  /// The same cards with reports that were read before.
  func foldedCards(
    _ posts: [PostSummary], _ reports: [OwnPostReport], next: String, _ context: Context
  ) throws -> [CardView] {
    let own = Dictionary(reports.map { ($0.post, $0) }) { first, _ in first }
    guard !own.isEmpty, posts.contains(where: { own[$0.id] != nil }) else {
      return try cards.cards(posts, context)
    }
    var shown: [CardView] = []
    for post in posts {
      // One by one: a post that is gone by now has no card.
      guard var card = try cards.cards([post], context).first else { continue }
      if let report = own[post.id] {
        card.folded = [FoldedPostView(report: report, card: card.card, next: next)]
        if let last = shown.last, !last.folded.isEmpty {
          shown.removeLast()
          card.folded = last.folded + card.folded
        }
      }
      shown.append(card)
    }
    return shown
  }
}
