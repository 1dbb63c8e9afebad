import Accounts
import Core
import Web

/// A new group.
struct NewGroupRequest: JSONRequest {
  var name = ""

  static let jsonName = "NewGroup"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "name", note: "1 to \(GroupRules.nameLimits.characters) characters.",
      bounds: TextFieldLimits.filled,
      example: "Harvest Walk"
    ) { $0.name = $1 }
  ]
}

/// The settings to change by the leader; absent fields stay unchanged.
struct GroupChangeRequest: JSONRequest {
  var name: String?
  var mayJoin: Bool?
  var membersInvite: Bool?

  static let jsonName = "GroupChange"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "name", note: "1 to \(GroupRules.nameLimits.characters) characters.",
      bounds: TextFieldLimits.filled,
      example: "Harvest Walk"
    ) { $0.name = $1 },
    .optional("may_join", note: "Whether joining with the code is allowed.") { $0.mayJoin = $1 },
    .optional("members_invite", note: "Whether members other than the leader can see the code.") {
      $0.membersInvite = $1
    },
  ]
}

/// A code.
struct JoinRequest: JSONRequest {
  var code = ""
  var displayName: String?

  static let jsonName = "JoinGroup"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "code", note: "The code, or the link in its QR code.", bounds: TextFieldLimits.filled,
      example: "K7M2QX"
    ) { $0.code = $1 },
    .optional(
      "display_name",
      note: """
        The new name of a guest, 1 to \(AccountRules.displayNameLimits.characters) characters. Members \
        keep their name.
        """,
      bounds: TextFieldLimits.filled, example: "Kim"
    ) { $0.displayName = $1 },
  ]
}

/// The new leader.
struct NewLeaderRequest: JSONRequest {
  var person: ID<Person>?

  static let jsonName = "NewLeader"
  static let jsonFields: [InputField<Self>] = [
    .required("user_id", note: "A member of the group.") { $0.person = $1 }
  ]
}

/// Whether the location is shared.
struct SharingRequest: JSONRequest {
  var isOn = false

  static let jsonName = "SharingInput"
  static let jsonFields: [InputField<Self>] = [
    .required("on", note: "`true` shares it for 8 hours. `false` also deletes the last location.") {
      $0.isOn = $1
    }
  ]
}

/// A location to share.
struct PlaceRequest: JSONRequest {
  var latitude = 0.0
  var longitude = 0.0
  var accuracy: Double?
  var at: Instant?

  static let jsonName = "PlaceInput"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "latitude", note: "In degrees.", bounds: ["minimum": -90, "maximum": 90],
      example: .real(25.033)
    ) { $0.latitude = $1 },
    .required(
      "longitude", note: "In degrees.", bounds: ["minimum": -180, "maximum": 180],
      example: .real(121.5654)
    ) { $0.longitude = $1 },
    .optional(
      "accuracy", note: "In m.", bounds: ["minimum": 0, "maximum": 10_000_000],
      example: .real(12)
    ) { $0.accuracy = $1 },
    .optional("at", note: "Time of the location; the current time if omitted.") { $0.at = $1 },
  ]

  /// Throws 422 for an invalid location.
  func position() throws -> Position {
    guard let position = Position(latitude: latitude, longitude: longitude) else {
      throw Problem.invalid(Self.wrong(latitude, longitude))
    }
    if let accuracy, !(0...10_000_000).contains(accuracy) {
      throw Problem.invalid(["accuracy": FieldError("api.field_number")])
    }
    return position
  }

  static func wrong(_ latitude: Double, _ longitude: Double) -> [String: FieldError] {
    var errors: [String: FieldError] = [:]
    if !(abs(latitude) <= 90) {
      errors["latitude"] = FieldError("api.field_range", ["least": "-90", "most": "90"])
    }
    if !(abs(longitude) <= 180) {
      errors["longitude"] = FieldError("api.field_range", ["least": "-180", "most": "180"])
    }
    return errors
  }
}

/// A new waypoint.
struct WaypointRequest: JSONRequest {
  var name = ""
  var latitude = 0.0
  var longitude = 0.0

  static let jsonName = "NewWaypoint"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "name", note: "1 to \(GroupRules.nameLimits.characters) characters.",
      bounds: TextFieldLimits.filled,
      example: "Tea house"
    ) { $0.name = $1 },
    .required(
      "latitude", note: "In degrees.", bounds: ["minimum": -90, "maximum": 90],
      example: .real(25.0372)
    ) { $0.latitude = $1 },
    .required(
      "longitude", note: "In degrees.", bounds: ["minimum": -180, "maximum": 180],
      example: .real(121.5637)
    ) { $0.longitude = $1 },
  ]
}

/// A call to all other members.
struct CommandRequest: JSONRequest {
  /// The first five are reserved for the leader.
  enum Kind: String, JSONEnum {
    case gather
    case move
    case rest
    case comeBack = "return"
    case emergency
    case onMyWay = "on_my_way"
    case needHelp = "need_help"
    case isOK = "is_ok"
  }

  var kind = Kind.onMyWay
  var note: String?

  static let jsonName = "GroupCommand"
  static let jsonFields: [InputField<Self>] = [
    .required("kind", note: "All but the last three are reserved for the leader.") {
      $0.kind = $1
    },
    .optional("note", note: "Up to \(GroupRules.noteLimits.characters) characters.") {
      $0.note = $1
    },
  ]

  /// The corresponding event kind.
  var event: GroupEventKind { GroupEventKind(rawValue: kind.rawValue) ?? .needHelp }
}

/// The version from which changes are requested.
struct GroupQuery: JSONRequest {
  var since: Int?

  static let jsonFields: [InputField<Self>] = [
    .optional(
      "since", note: "The version last read; 304 if it is still current."
    ) { $0.since = $1 }
  ]
}
