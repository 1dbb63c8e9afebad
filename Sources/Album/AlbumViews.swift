import Core
import Images
import PhotoMetadata
import Secrets
import Templates
import Web

struct AlbumView: View {
  let form: AlbumFormView
  let photos: [PhotoCardView]
  let older: String?
  let isFirstPage: Bool

  static let fields: [String: Field<AlbumView>] = [
    "form": .child { $0.form },
    "photos": .list { $0.photos },
    "has_photos": .flag { !$0.photos.isEmpty },
    "empty": .flag { $0.photos.isEmpty && $0.isFirstPage },
    "older": .optionalText { $0.older },
  ]
}

/// The form to add photos, empty or as it was sent.
struct AlbumFormView: FormContent {
  let form: AlbumForm
  let partner: String?
  let errors: [String: String]

  init(_ form: AlbumForm, partner: String?, _ context: Context) {
    self.form = form
    self.partner = partner
    var errors: [String: String] = [:]
    if let problem = form.problem {
      errors["file"] = problem
    } else if !form.failed.isEmpty {
      errors["file"] = context.text("album.error_some")
    }
    self.errors = errors
  }

  static let fields: [String: Field<AlbumFormView>] = formFields(
    errors: ["file"],
    [
      "action": .text { _ in AlbumLinks.album },
      "nonce": .text { _ in Base64URL.text(RandomBytes.make(16)) },
      "partner": .optional { view in view.partner.map { PartnerView(name: $0) } },
      "shared": .flag { $0.form.options.isShared },
      "keep_date": .flag { $0.form.options.keepsDate },
      "failed": .list { $0.form.failed },
    ])
}

struct PartnerView: View {
  let name: String

  static let fields: [String: Field<PartnerView>] = ["partner_name": .text { $0.name }]
}

/// A photo that was refused, and why.
struct FailedPhoto: View {
  let name: String
  let message: String

  static let fields: [String: Field<FailedPhoto>] = [
    "name": .text { $0.name },
    "message": .text { $0.message },
  ]
}

/// A photo in the grid.
struct PhotoCardView: View {
  let photo: Photo
  let isOwn: Bool
  /// The text alternative: the photo's day, if it has no story.
  let name: String

  init(_ photo: Photo, _ viewer: Viewer, _ context: Context) {
    self.photo = photo
    isOwn = photo.isOwn(of: viewer)
    name = Self.name(photo, context)
  }

  /// "Photo of 21 November 2026".
  static func name(_ photo: Photo, _ context: Context) -> String {
    context.text("album.photo_of", ["day": day(photo, context)])
  }

  /// The day on which the photo was taken, if known, otherwise the day of the upload.
  static func day(_ photo: Photo, _ context: Context) -> String {
    DateFormatting(context).day(photo.taken?.day ?? LocalDay(photo.createdAt, in: context.timeZone))
  }

  static let fields: [String: Field<PhotoCardView>] = [
    "id": .text { $0.photo.id.description },
    "link": .text { AlbumLinks.photo($0.photo.id) },
    "src": .text { AlbumLinks.picture($0.photo, .thumb) },
    "src_webp": .optionalText {
      $0.photo.files.hasWebP ? AlbumLinks.picture($0.photo, .thumb, asWebP: true) : nil
    },
    // The story is shown beside the photo; a screen reader must not read it twice.
    "alt": .text { $0.photo.story == nil ? $0.name : "" },
    "story": .optionalText { $0.photo.story },
    "own": .flag { $0.isOwn },
    "shared": .flag { $0.isOwn && $0.photo.isShared },
    "owner_name": .text { $0.photo.ownerName },
  ]
}
