import Core
import Database
import Web

/// The viewer's own profile in the API: `user_profile` (docs/api/README.md).
public struct UserProfile: Sendable {
  enum Side: String, JSONEnum {
    case first = "partner_a"
    case second = "partner_b"
  }

  enum Kind: String, JSONEnum {
    case guest
    case member
  }

  enum StaffRole: String, JSONEnum {
    case moderator
    case admin
  }

  let id: ID<Person>
  let displayName: String
  let avatarURL: String?
  let coupleID: ID<Couple>?
  let side: Side?
  let kind: Kind
  let staffRole: StaffRole?
  let language: Language?
  let timeZone: String?
}

extension UserProfile: JSONResponse {
  public static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("display_name", example: "Mei") { $0.displayName },
    JSONField(
      "avatar_url", note: "Null if there is no picture.",
      example: "https://pairspot.example/media/couples/019c/avatar/thumb_4f.jpg"
    ) { $0.avatarURL },
    JSONField("couple_id", note: "Null if the user is not in a couple.") { $0.coupleID },
    JSONField("role", note: "The user's side of the couple; null if not in a couple.") { $0.side },
    JSONField("kind", example: "member") { $0.kind },
    JSONField("staff_role", note: "Null if the user is not staff.", example: .null) {
      $0.staffRole
    },
    JSONField("language", note: "Null until chosen.") { $0.language },
    JSONField(
      "time_zone", note: "An IANA time zone name; null until known.", example: "Asia/Taipei"
    ) {
      $0.timeZone
    },
  ]
}

/// Reads users' own profiles.
public struct ProfileStore: Sendable {
  let database: Database
  /// The prefix of picture URLs.
  let baseURL: String

  public init(database: Database, baseURL: String) {
    self.database = database
    self.baseURL = baseURL
  }

  /// The viewer's profile. `viewer` has the effective role: staff without their second factor are
  /// members. Throws 401 if the account is gone.
  public func profile(of viewer: Viewer) throws -> UserProfile {
    let found = try database.read { try profile(of: viewer.id, role: viewer.role, in: $0) }
    guard let found else { throw Problem(.invalidToken) }
    return found
  }

  /// Nil if the account is deleted.
  func profile(of person: ID<Person>, role: Role, in reader: ReadTransaction) throws -> UserProfile?
  {
    try reader.first(
      """
      SELECT u.display_name, u.avatar, u.couple_id,
        CASE WHEN c.status <> \(CoupleStatus.single.rawValue) THEN u.couple_side END,
        u.language, u.time_zone
      FROM users u LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id = \(person) AND u.deleted_at IS NULL
      """
    ) { row in
      UserProfile(
        id: person, displayName: try row.next(),
        avatarURL: try row.next(String?.self).map { baseURL + AccountLinks.media($0) },
        coupleID: try row.next(),
        // A couple of one holds a single member's posts; it has no partners.
        side: try row.next(Int?.self).map { $0 == 1 ? .first : .second },
        kind: role == .guest ? .guest : .member,
        staffRole: role == .admin ? .admin : role == .moderator ? .moderator : nil,
        language: try row.next(String?.self).flatMap(Language.init(rawValue:)),
        timeZone: try row.next())
    }
  }
}
