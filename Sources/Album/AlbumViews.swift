import Core
import Images
import PhotoMetadata
import Secrets
import Templates
import Web

struct AlbumView: View {
  let form: AlbumFormView
  let tabs: [AlbumTabView]
  let filter: AlbumFilter
  let photos: [PhotoCardView]
  let older: String?
  let isFirstPage: Bool
  /// Whether photos can be selected.
  let isSelecting: Bool

  static let fields: [String: Field<AlbumView>] = [
    "form": .child { $0.form },
    "tabs": .list { $0.tabs },
    "has_tabs": .flag { !$0.tabs.isEmpty && (!$0.photos.isEmpty || $0.filter != AlbumFilter()) },
    "may_search": .flag { !$0.photos.isEmpty || !$0.filter.search.isEmpty },
    "q": .text { $0.filter.search },
    "tab": .text { $0.filter.tab.rawValue },
    "all_link": .text { AlbumLinks.album(AlbumFilter(tab: $0.filter.tab)) },
    "none_found": .flag { $0.photos.isEmpty && $0.isFirstPage && !$0.filter.search.isEmpty },
    "photos": .list { $0.photos },
    "has_photos": .flag { !$0.photos.isEmpty },
    "empty": .flag {
      $0.photos.isEmpty && $0.isFirstPage && $0.filter.search.isEmpty
        && $0.filter.tab != .favourites
    },
    "no_favourites": .flag {
      $0.photos.isEmpty && $0.isFirstPage && $0.filter.search.isEmpty
        && $0.filter.tab == .favourites
    },
    "older": .optionalText { $0.older },
    "partner": .optional { view in view.form.partner.map { PartnerView(name: $0) } },
    "selecting": .flag { $0.isSelecting },
    "select_link": .text { AlbumLinks.album($0.filter, isSelecting: true) },
    "select_action": .text { _ in AlbumLinks.selected },
    "done_link": .text { AlbumLinks.album($0.filter) },
    "most_selected": .integer { _ in PhotoSelection.maximumPhotos },
  ]
}

/// A tab of the album.
struct AlbumTabView: View {
  let name: String
  let link: String
  let isChosen: Bool

  init(_ tab: AlbumFilter.Tab, _ filter: AlbumFilter, _ context: Context) {
    switch tab {
    case .all: name = context.text("album.tab_all")
    case .ours: name = context.text("album.tab_ours")
    case .mine: name = context.text("album.tab_mine")
    case .favourites: name = context.text("album.tab_favourites")
    }
    link = AlbumLinks.album(AlbumFilter(tab: tab, search: filter.search))
    isChosen = tab == filter.tab
  }

  static let fields: [String: Field<AlbumTabView>] = [
    "name": .text { $0.name },
    "link": .text { $0.link },
    "chosen": .flag { $0.isChosen },
  ]
}

/// The form to add photos, empty or as it was sent.
struct AlbumFormView: FormContent {
  let form: AlbumForm
  let partner: String?
  let filter: AlbumFilter
  let errors: [String: String]

  init(_ form: AlbumForm, partner: String?, _ filter: AlbumFilter, _ context: Context) {
    self.filter = filter
    self.form = form
    self.partner = partner
    var errors: [String: String] = [:]
    if let problem = form.problem {
      errors["file"] = problem
    } else if !form.failed.isEmpty {
      errors["file"] = context.text("album.error_some")
    }
    errors["story"] = form.storyError?.text(context)
    self.errors = errors
  }

  static let fields: [String: Field<AlbumFormView>] = formFields(
    errors: ["file", "story"],
    [
      "action": .text { AlbumLinks.album(AlbumFilter(tab: $0.filter.tabOfNew)) },
      "nonce": .text { _ in Base64URL.text(RandomBytes.make(16)) },
      "partner": .optional { view in view.partner.map { PartnerView(name: $0) } },
      "shared": .flag { $0.form.options.isShared },
      "keep_date": .flag { $0.form.options.keepsDate },
      "editor": .child { StoryEditorView(story: $0.form.story, error: $0.errors["story"]) },
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
  /// The month that begins with this photo.
  let month: AlbumMonthView?

  /// Photos in their order, with the months that begin.
  static func all(_ photos: [Photo], _ viewer: Viewer, _ context: Context) -> [PhotoCardView] {
    let when = DateFormatting(context)
    var last: LocalDay?
    return photos.map { photo in
      let day = day(of: photo, context)
      let (month, before) = (day.components, last?.components)
      last = day
      let isNew = month.year != before?.year || month.month != before?.month
      return PhotoCardView(
        photo, viewer, month: isNew ? AlbumMonthView(day, name: when.month(of: day)) : nil, context)
    }
  }

  init(_ photo: Photo, _ viewer: Viewer, month: AlbumMonthView?, _ context: Context) {
    self.photo = photo
    self.month = month
    isOwn = photo.isOwn(of: viewer)
    name = Self.name(photo, context)
  }

  /// "Photo of 21 November 2026".
  static func name(_ photo: Photo, _ context: Context) -> String {
    context.text("album.photo_of", ["day": day(photo, context)])
  }

  /// The day on which the photo was taken, if known, otherwise the day of the upload.
  static func day(_ photo: Photo, _ context: Context) -> String {
    DateFormatting(context).day(day(of: photo, context))
  }

  private static func day(of photo: Photo, _ context: Context) -> LocalDay {
    photo.taken?.day ?? LocalDay(photo.createdAt, in: context.timeZone)
  }

  static let fields: [String: Field<PhotoCardView>] = [
    "id": .text { $0.photo.id.description },
    "month": .optional { $0.month },
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

/// The heading of a month in the grid.
struct AlbumMonthView: View {
  let id: String
  let name: String

  init(_ day: LocalDay, name: String) {
    id = "month-\(day.components.year)-\(day.components.month)"
    self.name = name
  }

  static let fields: [String: Field<AlbumMonthView>] = [
    "id": .text { $0.id },
    "name": .text { $0.name },
  ]
}
