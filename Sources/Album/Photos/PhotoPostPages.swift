import Core
import HTTPTypes
import Images
import Media
import Secrets
import Templates
import Web

/// `/album/{id}/post`: creates a post of a photo, the only way to show it to other users.
struct PhotoPostPages {
  private let services: AlbumEnvironment
  private let page: Page<PhotoPostView>

  init(_ services: AlbumEnvironment) throws {
    self.services = services
    page = try Page("album/post", title: "album.post_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let photo = try ownPhoto(context)
    let form = PhotoPostForm(content: photo.story ?? "")
    return page.response(PhotoPostView(photo, form, [:], context), context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let photo = try ownPhoto(context)
    let form = PhotoPostForm(context.form)
    do {
      let link = try post(photo, form, context)
      context.flash("toast.posted")
      return .seeOther(link)
    } catch let error as PicturePostError {
      let view = PhotoPostView(photo, form, [field(of: error): error.text(context)], context)
      return page.response(view, context, after: error)
    }
  }

  private func post(
    _ photo: Photo, _ form: PhotoPostForm, _ context: Context
  ) throws -> String {
    let viewer = try context.signedIn()
    do {
      let link = try services.folders.media.read(photo.files.originalPath) { picture in
        try services.posts.post(
          PicturePost(
            text: form.content, audience: form.audience, picture: picture,
            description: form.description, nonce: form.nonce), by: viewer, now: context.now)
      }
      guard let link else { throw Problem.notFound }
      return link
    } catch MediaError.unavailable {
      throw PicturePostError.busy
    }
  }

  private func field(of error: PicturePostError) -> String {
    switch error {
    case .tooLong, .tooMany: "content"
    case .tooLarge, .busy, .diskFull, .failed: "photo"
    }
  }

  /// The viewer's photo; throws 403 if the viewer may not post.
  private func ownPhoto(_ context: Context) throws -> Photo {
    let photo = try services.ownPhoto(context)
    guard try context.signedIn().mayPost else { throw Problem.forbidden }
    return photo
  }
}

/// The content of the post; for the couple only by default.
struct PhotoPostForm {
  let nonce: String
  let content: String
  let description: String
  let audience: PicturePost.Audience

  init(content: String) {
    nonce = ""
    self.content = content
    description = ""
    audience = .couple
  }

  init(_ form: Form) {
    nonce = FieldLimits.nonce.beginning(of: form["nonce"])
    content = form["content"].asParagraphs
    description = form["description_1"].asOneLine
    audience = PicturePost.Audience(rawValue: form["visibility"]) ?? .couple
  }
}

struct PhotoPostView: FormContent {
  let photo: Photo
  let name: String
  let form: PhotoPostForm
  let errors: [String: String]

  init(_ photo: Photo, _ form: PhotoPostForm, _ errors: [String: String], _ context: Context) {
    self.photo = photo
    name = PhotoCardView.name(photo, context)
    self.form = form
    self.errors = errors
  }

  static let fields: [String: Field<PhotoPostView>] = formFields(
    errors: ["photo", "content"],
    [
      "action": .text { AlbumLinks.post($0.photo.id) },
      "link": .text { AlbumLinks.photo($0.photo.id) },
      "nonce": .text { _ in Base64URL.text(RandomBytes.make(16)) },
      "src": .text { AlbumLinks.picture($0.photo, .thumb) },
      "alt": .text { $0.name },
      "content": .text { $0.form.content },
      "description": .text { $0.form.description },
      "public": .flag { $0.form.audience == .everyone },
      "followers": .flag { $0.form.audience == .followers },
      "couple": .flag { $0.form.audience == .couple },
    ])
}
