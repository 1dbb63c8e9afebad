import Core
import Database
import Web

/// A couple in a JSON response.
struct CoupleResponse: JSONResponse {
  let card: CoupleProfile
  let partners: [PartnerResponse]
  let followers: Int
  let baseURL: String
  /// Today in the viewer's time zone.
  let today: LocalDay

  /// Nil for a frozen couple: its members have separated, though they can still see it.
  private var daysTogether: Int? {
    guard card.status != .frozen else { return nil }
    return card.anniversary.map { DaysTogether.days(since: $0, today: today) }
  }

  static let jsonName = "Couple"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.card.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.card.name },
    JSONField("anniversary", note: "The day they got together; null if not set.") {
      $0.card.anniversary
    },
    JSONField("days_together", note: "Counted from 1, in your time zone.", example: 1500) {
      $0.daysTogether
    },
    JSONField("status") { $0.card.status },
    JSONField("bio", example: "We walk a lot.") { $0.card.bio },
    JSONField("avatar_url", note: "Null if there is no picture.") { couple in
      couple.card.avatar.map { couple.baseURL + $0 }
    },
    JSONField("follower_count", example: 12) { $0.followers },
    JSONField("partners", note: "The current members, ordered by side.") {
      $0.partners
    },
  ]
}

extension CoupleStatus: JSONEnum {}

/// One of the partners.
struct PartnerResponse: JSONResponse {
  let id: ID<Person>
  let name: String
  let avatarURL: String?

  static let jsonName = "Partner"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("display_name", example: "Mei") { $0.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { $0.avatarURL },
  ]
}

extension AccountsEnvironment {
  /// The response for a couple. Throws 404 if the viewer may not see it.
  func record(of couple: ID<Couple>, _ context: Context) throws -> CoupleResponse {
    let baseURL = site.baseURL
    let card = try CoupleService(services: self).seen(couple, by: context.viewer)
    let (partners, followers) = try site.database.read {
      (try couples.partners(in: couple, $0), try followerCount(couple, $0))
    }
    return CoupleResponse(
      card: card,
      partners: partners.map {
        PartnerResponse(
          id: $0.id, name: $0.avatar.name, avatarURL: $0.avatar.avatar.map { baseURL + $0 })
      },
      followers: followers, baseURL: baseURL, today: DateFormatting(context).today)
  }
}
