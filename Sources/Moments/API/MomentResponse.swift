import Core
import Web

/// A moment in the API.
struct MomentResponse: JSONResponse {
  /// The kind of its file.
  enum Kind: String, JSONEnum {
    case picture
    case film
  }

  private let moment: Moment
  private let baseURL: String

  init(_ moment: Moment, _ context: Context) {
    self.moment = moment
    baseURL = context.site.baseURL
  }

  private var length: Int? {
    if case .film(let milliseconds, _) = moment.content { return milliseconds }
    return nil
  }

  static let jsonName = "Moment"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.moment.id },
    JSONField("couple_id") { $0.moment.couple },
    JSONField("author") {
      MomentPersonResponse(
        id: $0.moment.author, avatar: $0.moment.avatar, baseURL: $0.baseURL)
    },
    JSONField("audience") { $0.moment.audience },
    JSONField("kind") { $0.moment.isFilm ? Kind.film : Kind.picture },
    JSONField("words", note: "One line; empty for none.", example: "Snow!") { $0.moment.words },
    JSONField("picture_url", note: "The picture in full size, or the still image of the film.") {
      $0.baseURL + $0.moment.picture(.original)
    },
    JSONField("film_url", note: "MP4 with H.264 and AAC; null for a picture.") { response in
      response.moment.film.map { response.baseURL + $0 }
    },
    JSONField("milliseconds", note: "Length of the film; null for a picture.", example: 9500) {
      $0.length
    },
    JSONField("has_sound", example: false) { $0.moment.hasSound },
    JSONField("width", note: "In px.", example: 720) { $0.moment.width },
    JSONField("height", example: 1280) { $0.moment.height },
    JSONField("seen", note: "Whether you have seen it; you have seen your own.", example: false) {
      $0.moment.isSeen
    },
    JSONField(
      "hidden", note: "Whether moderators hid it: only you see it.", example: false
    ) { $0.moment.isHidden },
    JSONField("created_at") { $0.moment.createdAt },
    JSONField("ends_at", note: "24 hours later; it is 404 from then on.") { $0.moment.endsAt },
  ]
}

/// A user with moments, or who has seen one.
struct MomentPersonResponse: JSONResponse {
  let id: ID<Person>
  let avatar: Viewer.Avatar
  let baseURL: String

  static let jsonName = "MomentPerson"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("display_name", example: "Mei") { $0.avatar.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { person in
      person.avatar.avatar.map { person.baseURL + $0 }
    },
  ]
}

/// The moments of a couple.
struct MomentsResponse: JSONResponse {
  let moments: [MomentResponse]

  static let jsonName = "Moments"
  static let jsonFields: [JSONField<Self>] = [JSONField("moments") { $0.moments }]
}

/// A couple with moments.
struct MomentCircleResponse: JSONResponse {
  let circle: MomentCircle
  let baseURL: String

  static let jsonName = "MomentCircle"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("couple_id") { $0.circle.couple },
    JSONField("couple_name", example: "Mei & Jun") { $0.circle.name },
    JSONField("avatar_urls", note: "The pictures of its members, null for none.") { response in
      response.circle.people.map { $0.avatar.map { response.baseURL + $0 } }
    },
    JSONField("count", note: "The moments that you may see.", example: 2) { $0.circle.count },
    JSONField("unseen", note: "Those that you have not seen.", example: 1) { $0.circle.unseen },
    JSONField("latest_at") { $0.circle.latestAt },
  ]
}

/// The couples with moments.
struct MomentCirclesResponse: JSONResponse {
  let circles: [MomentCircleResponse]

  static let jsonName = "MomentCircles"
  static let jsonFields: [JSONField<Self>] = [JSONField("circles") { $0.circles }]
}

/// A member who has seen a moment.
struct MomentViewerResponse: JSONResponse {
  let viewer: MomentViewer
  let baseURL: String

  static let jsonName = "MomentViewer"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("user") {
      MomentPersonResponse(
        id: $0.viewer.person, avatar: $0.viewer.avatar, baseURL: $0.baseURL)
    },
    JSONField("couple_id", note: "Null without a couple.") { $0.viewer.couple?.id },
    JSONField("couple_name", note: "Null without a couple.", example: "Mei & Jun") {
      $0.viewer.couple?.name
    },
    JSONField("seen_at") { $0.viewer.at },
  ]
}

/// A page of the members who have seen a moment.
struct MomentViewersResponse: JSONResponse {
  let viewers: [MomentViewerResponse]
  let next: String?

  static let jsonName = "MomentViewers"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("viewers") { $0.viewers },
    JSONField("next_cursor", note: "Null on the last page.") { $0.next },
  ]
}
