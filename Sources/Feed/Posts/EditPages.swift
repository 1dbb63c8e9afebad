import Core
import Images
import Templates
import Web

/// `/posts/{id}/edit`: text, visibility, and order and descriptions of the pictures. Pictures can
/// be removed, not added (docs/developer/feed.md#posts).
struct EditPages {
  private let services: FeedEnvironment
  private let page: Page<EditView>

  private var service: PostService { PostService(services: services) }

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/edit", title: "edit.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let post = try own(context)
    let pictures = post.pictures
    let edits = pictures.enumerated().map {
      PictureEdit(
        id: $0.element.id, order: $0.offset + 1, description: $0.element.description,
        isRemoved: false)
    }
    return try response(
      post, pictures, edits, content: post.content, visibility: post.visibility, context,
      errors: [:])
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let post = try own(context)
    let change = PostService.Change(
      content: context.form["content"].asParagraphs,
      visibility: visibility(context.form, of: post),
      pictures: edits(context.form, of: post.pictures))
    let errors = change.errors
    guard errors.isEmpty else {
      return try response(
        post, post.pictures, change.pictures, content: change.content,
        visibility: change.visibility, context, errors: errors.texts(context))
    }
    try service.save(change, of: post, by: viewer, now: context.now)
    context.flash("toast.saved")
    return .seeOther(FeedLinks.post(post.id))
  }

  private func own(_ context: Context) throws -> Post {
    try service.own(context.id(), of: context.viewer)
  }

  /// The chosen visibility. Unless it was changed in the form, it stays as it is by now: the partner
  /// may have narrowed the post meanwhile.
  private func visibility(_ form: Form, of post: Post) -> Visibility {
    guard form["visibility"] != form["visibility_before"] else { return post.visibility }
    return Visibility(rawValue: form["visibility"]) ?? post.visibility
  }

  /// The form's edits of the post's pictures; other ids are ignored.
  private func edits(_ form: Form, of pictures: [Picture]) -> [PictureEdit] {
    let numbers = (1...PostRules.maximumImages).filter { form.has("image_id_\($0)") }
    let byID = Dictionary(
      numbers.compactMap { number in
        ID<PostImage>(form["image_id_\(number)"]).map { ($0, number) }
      }, uniquingKeysWith: { first, _ in first })
    return pictures.enumerated().map { place, picture in
      guard let number = byID[picture.id] else {
        return PictureEdit(
          id: picture.id, order: place + 1, description: picture.description, isRemoved: false)
      }
      return PictureEdit(
        id: picture.id,
        order: Int(form["order_\(number)"], in: 0...PostRules.maximumImages) ?? place + 1,
        description: PostRules.description(form["description_\(number)"]),
        isRemoved: form.has("remove_\(number)"))
    }
  }

  private func response(
    _ post: Post, _ pictures: [Picture], _ edits: [PictureEdit], content: String,
    visibility: Visibility, _ context: Context, errors: [String: String]
  ) throws -> Response {
    let images = zip(pictures, edits).enumerated().map { place, pair in
      EditPictureView(
        picture: pair.0, edit: pair.1, number: place + 1, post: post)
    }
    // A promoted post that is no longer public is not shown as promoted.
    let until =
      post.visibility == .everyone
      ? try services.marked(post, now: context.now).promotedUntil : nil
    let view = EditView(
      post: post, content: content,
      visibility: visibility, until: until.map { DateFormatting(context).moment($0) },
      images: images,
      errors: errors)
    return page.response(view, context, status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

struct EditView: FormContent {
  let post: Post
  let content: String
  let visibility: Visibility
  /// End of the promotion, if it runs.
  let until: String?
  let images: [EditPictureView]
  let errors: [String: String]

  static let fields: [String: Field<EditView>] = formFields(
    errors: ["content"],
    [
      "link": .text { FeedLinks.post($0.post.id) },
      "action": .text { FeedLinks.edit($0.post.id) },
      "content": .text { $0.content },
      "visibility_before": .text { $0.post.visibility.rawValue },
      "public": .flag { $0.visibility == .everyone },
      "followers": .flag { $0.visibility == .followers },
      "couple": .flag { $0.visibility == .couple },
      "promoted_until": .optionalText { $0.until },
      "has_images": .flag { !$0.images.isEmpty },
      "images": .list { $0.images },
    ])
}

struct EditPictureView: View {
  let picture: Picture
  let edit: PictureEdit
  let number: Int
  let post: Post

  static let fields: [String: Field<EditPictureView>] = [
    "id": .text { $0.picture.id.description },
    "src_thumb": .text {
      FeedLinks.picture($0.picture, .thumb, of: $0.post.id, couple: $0.post.couple)
    },
    "alt": .text { $0.picture.description },
    "number": .integer { $0.number },
    "description": .text { $0.edit.description },
    "order": .integer { $0.edit.order },
    "removed": .flag { $0.edit.isRemoved },
  ]
}
