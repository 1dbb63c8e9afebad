import Core
import HTTPTypes
import Images
import Secrets
import Templates
import Web

/// `/posts/{id}/edit`: text, visibility, and the pictures, which can be ordered, described, removed
/// and added (docs/developer/feed.md#posts).
struct EditPages {
  private let services: FeedEnvironment
  private let page: Page<EditView>

  private var service: PostService { PostService(services: services) }

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/edit", title: "edit.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let post = try own(context)
    let form = try EditPostForm(
      Form(fields: [("content", post.content)]), of: post, viewer: viewer, drafts: services.drafts)
    return try response(post, form, context)
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let post = try own(context)
    var form = try EditPostForm(context.form, of: post, viewer: viewer, drafts: services.drafts)
    let hash = try form.hash()
    if try isAnswered(form, hash, viewer) { return saved(post, context) }
    if !form.files.isEmpty {
      try services.limits.count(
        UploadedPictures.submissions, viewer.id.description, now: context.now)
    }
    form.takeFiles(of: viewer, in: services, context)
    guard form.errors.isEmpty else { return try response(post, form, context) }
    do {
      try service.save(form.change, of: post, by: viewer, now: context.now) { [form] writer in
        guard !form.nonce.isEmpty else { return }
        try services.answers.remember(
          FeedLinks.post(post.id), of: form.nonce, hash: hash, from: viewer, now: context.now,
          in: writer)
      }
    } catch {
      // The same form may have been saved meanwhile.
      if try isAnswered(form, hash, viewer) { return saved(post, context) }
      let status = (error as? Problem)?.status
      if status == .serviceUnavailable {
        form.errors["images"] = PictureError.busy.error
        return try response(post, form, context, status: .serviceUnavailable)
      }
      guard status == .conflict else { throw error }
      let changed = try own(context)
      form.reset(to: changed)
      return try response(changed, form, context)
    }
    return saved(post, context)
  }

  private func isAnswered(
    _ form: EditPostForm, _ hash: [UInt8], _ viewer: Viewer
  ) throws -> Bool {
    try services.site.database.write {
      try services.answers.location(of: form.nonce, hash: hash, from: viewer, in: $0) != nil
    }
  }

  private func saved(_ post: Post, _ context: Context) -> Response {
    context.flash("toast.saved")
    return .seeOther(FeedLinks.post(post.id))
  }

  private func own(_ context: Context) throws -> Post {
    try service.own(context.id(), of: context.viewer)
  }

  /// `status` is that of a form with errors, if they do not determine it.
  private func response(
    _ post: Post, _ form: EditPostForm, _ context: Context, status known: HTTPResponse.Status? = nil
  ) throws -> Response {
    // A promoted post that is no longer public is not shown as promoted.
    let until =
      post.visibility == .everyone
      ? try services.marked(post, now: context.now).promotedUntil : nil
    let view = EditView(
      post: post, form: form, until: until.map { DateFormatting(context).moment($0) },
      failed: form.failed.views(context), errors: form.errors.texts(context))
    let status: HTTPResponse.Status =
      form.errors.isEmpty ? .ok : known ?? form.failed.status ?? .unprocessableContent
    var response = page.response(view, context, status: status)
    if status == .serviceUnavailable { response.headers[.retryAfter] = "5" }
    return response
  }
}

struct EditView: FormContent {
  let post: Post
  let form: EditPostForm
  /// End of the promotion, if it runs.
  let until: String?
  let failed: [FailedPicture]
  let errors: [String: String]

  /// The pictures of the post, then the drafts.
  private var images: [EditPictureView] {
    let own = zip(post.pictures, form.pictures).map { picture, edit in
      (edit, FeedLinks.picture(picture, .thumb, of: post.id, couple: post.couple), false)
    }
    return (own + form.added.map { ($0.edit, FeedLinks.draft($0.draft), true) }).enumerated().map {
      let (edit, thumb, isDraft) = $0.element
      return EditPictureView(edit: edit, thumb: thumb, isDraft: isDraft, number: $0.offset + 1)
    }
  }

  private var visibility: Visibility { form.visibility ?? post.visibility }

  static let fields: [String: Field<EditView>] = formFields(
    errors: ["content", "images"],
    [
      "link": .text { FeedLinks.post($0.post.id) },
      "action": .text { FeedLinks.edit($0.post.id) },
      "nonce": .text { _ in Base64URL.text(RandomBytes.make(16)) },
      "content": .text { $0.form.content },
      "visibility_before": .text { $0.post.visibility.rawValue },
      "public": .flag { $0.visibility == .everyone },
      "followers": .flag { $0.visibility == .followers },
      "couple": .flag { $0.visibility == .couple },
      "promoted_until": .optionalText { $0.until },
      "images": .list { $0.images },
      "failed": .list { $0.failed },
      "remaining": .integer { max(0, PostRules.maximumImages - $0.images.count) },
    ])
}

struct EditPictureView: View {
  let edit: PictureEdit
  let thumb: String
  let isDraft: Bool
  let number: Int

  static let fields: [String: Field<EditPictureView>] = [
    "id": .text { $0.edit.id.description },
    "thumb": .text { $0.thumb },
    "draft": .flag { $0.isDraft },
    "number": .integer { $0.number },
    "description": .text { $0.edit.description },
    "order": .integer { $0.edit.order },
    "removed": .flag { $0.edit.isRemoved },
  ]
}
