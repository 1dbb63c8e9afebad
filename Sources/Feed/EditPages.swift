import Basics
import Database
import Images
import Templates
import Web

/// `/posts/{id}/edit`: words, who sees it, and the pictures' order and descriptions; pictures can
/// be taken out, not added (feed.md, "Posts").
struct EditPages {
  private let services: FeedServices
  private let page: Template<EditView>

  init(_ services: FeedServices) throws {
    self.services = services
    page = try services.site.templates.template("feed/edit")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let post = try own(context)
    let pictures = post.pictures
    let edits = pictures.enumerated().map {
      PictureEdit(
        id: $0.element.id, order: $0.offset + 1, description: $0.element.description,
        isRemoved: false)
    }
    return response(
      post, pictures, edits, content: post.content, visibility: post.visibility, context,
      errors: [:])
  }

  @Sendable func save(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let post = try own(context)
    let pictures = post.pictures
    let content = context.form["content"].asParagraphs
    let chosen = Visibility(rawValue: context.form["visibility"])
    let visibility =
      chosen.flatMap { Visibility.choices.contains($0) ? $0 : nil } ?? post.visibility
    let edits = edits(context.form, of: pictures)
    let left = edits.filter { !$0.isRemoved }.count
    var errors: [String: String] = [:]
    switch PostRules.problem(content: content, images: left) {
    case .empty: errors["content"] = context.text("error.content_empty")
    case .tooLong(let by): errors["content"] = context.text("error.content_long", count: by)
    case .tooManyImages, nil: break
    }
    guard errors.isEmpty else {
      return response(
        post, pictures, edits, content: content, visibility: visibility, context, errors: errors)
    }
    // Saved as it was: nobody needs to read "edited".
    guard
      content != post.content || visibility != post.visibility || changes(edits, pictures)
    else {
      context.say("toast.saved")
      return .seeOther(FeedLinks.post(post.id))
    }
    let change = PostChange(services: services, post: post)
    let narrows = visibility.isNarrower(than: post.visibility)
    try change.apply(renaming: narrows ? pictures : [], removing: edits) { writer in
      guard
        try PostWriter().edit(
          post.id, content: content, visibility: visibility, by: viewer, now: context.now,
          in: writer)
      else { throw Problem.forbidden }
      try PostWriter().arrange(edits, of: post.id, in: writer)
    }
    context.say("toast.saved")
    return .seeOther(FeedLinks.post(post.id))
  }

  /// Only the author edits: others who see it get 403, the rest 404.
  private func own(_ context: Context) throws -> Post {
    guard let post = try services.posts.visible(context.id(), to: context.viewer) else {
      throw Problem.notFound
    }
    guard post.author == context.viewer?.id else { throw Problem.forbidden }
    return post
  }

  private func changes(_ edits: [PictureEdit], _ pictures: [Picture]) -> Bool {
    let kept = edits.filter { !$0.isRemoved }.sorted { $0.order < $1.order }
    return !kept.elementsEqual(pictures) { $0.id == $1.id && $0.description == $1.description }
  }

  /// What the form says of each picture that the post has; ids of others are ignored.
  private func edits(_ form: Form, of pictures: [Picture]) -> [PictureEdit] {
    let numbers = (1...PostRules.imagesMost).filter { form.has("image_id_\($0)") }
    let byID = Dictionary(
      numbers.compactMap { number in
        ID<PostImage>(form["image_id_\(number)"]).map { ($0, number) }
      }, uniquingKeysWith: { first, _ in first })
    return pictures.enumerated().map { place, picture in
      guard let number = byID[picture.id] else {
        return PictureEdit(
          id: picture.id, order: place + 1, description: picture.description, isRemoved: false)
      }
      let description = form["description_\(number)"].asOneLine.prefix(PostRules.descriptionMost)
      return PictureEdit(
        id: picture.id, order: Int(form["order_\(number)"]) ?? place + 1,
        description: String(description), isRemoved: form.has("remove_\(number)"))
    }
  }

  private func response(
    _ post: Post, _ pictures: [Picture], _ edits: [PictureEdit], content: String,
    visibility: Visibility, _ context: Context, errors: [String: String]
  ) -> Response {
    let images = zip(pictures, edits).enumerated().map { place, pair in
      EditPictureView(
        picture: pair.0, edit: pair.1, number: place + 1, post: post)
    }
    let view = EditView(
      page: PageView(context, title: "edit.title"), post: post, content: content,
      visibility: visibility, images: images, errors: errors)
    return .html(
      page.render(view, in: context.language), status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

struct EditView: View {
  let page: PageView
  let post: Post
  let content: String
  let visibility: Visibility
  let images: [EditPictureView]
  let errors: [String: String]

  static let fields: [String: Field<EditView>] = [
    "page": .child { $0.page },
    "link": .text { FeedLinks.post($0.post.id) },
    "action": .text { FeedLinks.edit($0.post.id) },
    "content": .text { $0.content },
    "content_error": .optionalText { $0.errors["content"] },
    "public": .flag { $0.visibility == .everyone },
    "couple": .flag { $0.visibility == .couple },
    "has_images": .flag { !$0.images.isEmpty },
    "images": .list { $0.images },
    "errors": .optional { ErrorsView($0.errors, order: ["content"]) },
  ]
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
