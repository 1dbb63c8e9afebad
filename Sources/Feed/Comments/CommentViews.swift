import Core
import Templates
import Web

/// The comments on the page of a post, with the form for a new one.
struct CommentsView: FormContent {
  let post: Post
  let comments: [CommentView]
  /// Page of older comments, if there are any.
  let earlier: String?
  /// Page of the latest comments, if these are older ones.
  let latest: String?
  /// Form that restores the comment that the viewer has just deleted.
  let undo: String?
  /// Whether the viewer may write one.
  let mayComment: Bool
  /// Sign-in page, for viewers without an account.
  let signIn: String?
  /// Page on which guests become members.
  let join: String?
  let entered: String
  let errors: [String: String]

  static let fields: [String: Field<CommentsView>] = formFields(
    errors: ["content"],
    [
      "comments": .list { $0.comments },
      "none": .flag { $0.comments.isEmpty && $0.latest == nil },
      "earlier": .optionalText { $0.earlier },
      "latest": .optionalText { $0.latest },
      "undo": .optionalText { $0.undo },
      "may_comment": .flag { $0.mayComment },
      "sign_in": .optionalText { $0.signIn },
      "join": .optionalText { $0.join },
      "action": .text { FeedLinks.comments($0.post.id) },
      "content": .text { $0.entered },
    ])
}

/// One comment.
struct CommentView: View {
  let comment: Comment
  let age: String
  let mayDelete: Bool
  let mayReport: Bool

  init(_ comment: Comment, on post: Post, for viewer: Viewer?, _ when: DateFormatting) {
    self.comment = comment
    age = when.age(comment.createdAt)
    let isOwn = comment.author == viewer?.id
    mayDelete =
      isOwn
      || viewer.map { $0.id == post.author || $0.sharedCouple == post.couple } ?? false
    mayReport =
      !isOwn && post.visibility != .couple
      && viewer.map { viewer in
        viewer.mayReport && (viewer.couple == nil || viewer.couple?.id != comment.couple?.id)
      } ?? false
  }

  static let fields: [String: Field<CommentView>] = [
    "id": .text { $0.comment.id.description },
    "face": .child { AvatarView($0.comment.avatar) },
    "name": .text { $0.comment.avatar.name },
    "link": .optionalText { $0.comment.couple.map { FeedLinks.couple($0.id) } },
    "age": .text { $0.age },
    "created_iso": .text { $0.comment.createdAt.rfc3339 },
    "content": .markup { LinkedText.markup($0.comment.content) },
    "hidden": .flag { $0.comment.isHidden },
    "delete_link": .optionalText { $0.mayDelete ? FeedLinks.delete($0.comment.id) : nil },
    "report_link": .optionalText { $0.mayReport ? FeedLinks.report($0.comment.id) : nil },
  ]
}

extension Viewer {
  /// Whether the viewer may report content of others.
  fileprivate var mayReport: Bool { role >= .member && suspension == nil }
}
