import Core

/// The kinds of notices (docs/developer/notifications.md).
public enum NoticeKind: String, Sendable, CaseIterable {
  case partnerPosted = "partner_posted"
  /// There are new messages in a conversation.
  case message
  case postLiked = "post_liked"
  case postCommented = "post_commented"
  case newFollower = "new_follower"
  case decision
  case groupMember = "group_member"
  case groupCall = "group_call"
  /// An emergency, or a group member in need of help.
  case groupEmergency = "group_emergency"
  /// The next stop of a group has changed.
  case groupWaypoint = "group_waypoint"
  /// The user leads a group now, or a group was closed.
  case groupChange = "group_change"
  case checkIn = "check_in"
  /// The contacts are alerted about the partner, who has named the user as one.
  case partnerSilent = "partner_silent"
  /// The partner has made the user an emergency contact.
  case contactChosen = "contact_chosen"
  case anniversary
  /// The partner cheered for a workout.
  case workoutCheered = "workout_cheered"
  /// An export of the user's data can be downloaded.
  case exportReady = "export_ready"

  /// Whether unread notices about the same subject are merged into one ("Ann and 3 others").
  var isGathered: Bool {
    switch self {
    case .postLiked, .postCommented, .newFollower, .groupMember, .message: true
    case .partnerPosted, .decision, .checkIn, .partnerSilent, .contactChosen, .anniversary,
      .workoutCheered, .exportReady:
      false
    case .groupCall, .groupEmergency, .groupWaypoint, .groupChange: false
    }
  }

  /// Whether it is about a group rather than about its actor.
  var isOfGroup: Bool {
    switch self {
    case .groupCall, .groupEmergency, .groupWaypoint, .groupChange: true
    default: false
    }
  }

  /// Whether a block suppresses it. Calls of a group are delivered in spite of blocks: members of
  /// the same group see them there too, and may be the ones who can help.
  var endsAtBlocks: Bool { !isOfGroup }

  /// The minimum role for receiving it.
  var minimumRole: Role {
    switch self {
    case .partnerPosted, .postLiked, .postCommented, .newFollower, .decision, .partnerSilent,
      .contactChosen, .anniversary, .workoutCheered, .message:
      .member
    case .groupMember, .groupCall, .groupEmergency, .groupWaypoint, .groupChange, .checkIn,
      .exportReady:
      .guest
    }
  }

  /// The kinds that a user can receive.
  static func received(by viewer: Viewer) -> [NoticeKind] {
    allCases.filter { viewer.role >= $0.minimumRole }
  }

  var icon: String {
    switch self {
    case .partnerPosted: "pencil"
    case .postLiked, .workoutCheered: "heart-full"
    case .postCommented, .message: "comment"
    case .newFollower: "people"
    case .decision: "shield"
    case .groupMember, .groupCall, .groupChange: "compass"
    case .groupEmergency: "warning"
    case .groupWaypoint: "pin"
    case .checkIn, .partnerSilent, .contactChosen: "ghost"
    case .anniversary: "calendar"
    case .exportReady: "download"
    }
  }
}

/// A notice before it has a row.
public struct NewNotice: Sendable {
  public let kind: NoticeKind
  /// The subject (a post, a group, a couple): 16 bytes by which the notice is found again.
  public let subject: [UInt8]?
  /// The user who caused it.
  public let actor: ID<Person>?
  /// The actor's couple.
  public let couple: ID<Couple>?
  /// The event, for kinds with several cases: one of the values known to `NoticeFormatter`.
  public let event: String
  /// A name or excerpt, as it was at the time.
  public let detail: String
  /// A second name, if needed.
  public let note: String
  /// Path of the page to open, on this site.
  public let path: String

  public init(
    _ kind: NoticeKind, subject: [UInt8]? = nil, actor: ID<Person>? = nil,
    couple: ID<Couple>? = nil, event: String = "", detail: String = "", note: String = "",
    path: String
  ) {
    self.kind = kind
    self.subject = subject
    self.actor = actor
    self.couple = couple
    self.event = event
    self.detail = detail
    self.note = note
    self.path = path
  }

  /// The beginning of a text, on one line.
  public static func excerpt(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let limits = NoticeRules.excerptLimits
    guard !limits.allow(line) else { return line }
    let start = limits.beginning(of: line).prefix(limits.characters - 1)
    // Cuts between words if there are any; Chinese has none.
    let end = start.lastIndex(of: " ").map { start[..<$0] } ?? start
    return "\(end.count > limits.characters / 2 ? end : start)…"
  }
}

/// A notice as its recipient sees it.
struct Notice: Sendable {
  /// The identifier that its actors refer to.
  let row: ID<Notice>
  /// The identifier of its place in the list, which changes when an actor is added.
  let id: ID<Notice>
  let kind: NoticeKind
  let event: String
  let detail: String
  let note: String
  let path: String
  let createdAt: Instant
  let isRead: Bool
  /// The latest actors, newest first; two at most.
  var actors: [Actor] = []
  /// Total number of actors.
  var actorCount = 0

  struct Actor: Sendable {
    let name: String
    /// Path below the media folder.
    let avatar: String?
  }
}

enum NoticeRules {
  /// Notices per page.
  static let pageSize = 30
  /// Limit of the unread count: the badge then shows "99+".
  static let maximumCount = 100
  /// Retention, in s.
  static let life: Int64 = .days(90)
  /// Characters of a post in a notice.
  static let excerptLimits = FieldLimits(characters: 60)
}
