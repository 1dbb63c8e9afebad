import Core

/// What somebody can be told of (docs/developer/notifications.md).
public enum NoticeKind: String, Sendable, CaseIterable {
  case partnerPosted = "partner_posted"
  case postLiked = "post_liked"
  case newFollower = "new_follower"
  case decision
  case groupMember = "group_member"
  case groupCall = "group_call"
  /// An emergency, or a member who needs help.
  case groupEmergency = "group_emergency"
  /// Another next stop.
  case groupWaypoint = "group_waypoint"
  /// The reader leads a group now, or it was closed.
  case groupChange = "group_change"
  case checkIn = "check_in"
  case anniversary

  /// Whether several that nobody has read yet, about the same thing, are one ("Ann and 3 others").
  var isGathered: Bool {
    switch self {
    case .postLiked, .newFollower, .groupMember: true
    case .partnerPosted, .decision, .checkIn, .anniversary: false
    case .groupCall, .groupEmergency, .groupWaypoint, .groupChange: false
    }
  }

  /// Whether it is about a group as a whole, more than about the person who did it.
  var isOfGroup: Bool {
    switch self {
    case .groupCall, .groupEmergency, .groupWaypoint, .groupChange: true
    default: false
    }
  }

  /// Whether couples that blocked each other hear nothing of it. A call on the way is heard all the
  /// same: who is in a group with somebody sees it there too, and may be the one who can help.
  var endsAtBlocks: Bool { !isOfGroup }

  /// The smallest role that this can happen to.
  var least: Role {
    switch self {
    case .partnerPosted, .postLiked, .newFollower, .decision, .anniversary: .member
    case .groupMember, .groupCall, .groupEmergency, .groupWaypoint, .groupChange, .checkIn: .guest
    }
  }

  var icon: String {
    switch self {
    case .partnerPosted: "pencil"
    case .postLiked: "heart-full"
    case .newFollower: "people"
    case .decision: "shield"
    case .groupMember, .groupCall, .groupChange: "compass"
    case .groupEmergency: "warning"
    case .groupWaypoint: "pin"
    case .checkIn: "ghost"
    case .anniversary: "calendar"
    }
  }
}

/// A notice before there is a row.
public struct NewNotice: Sendable {
  public let kind: NoticeKind
  /// What it is about (a post, a group, a couple): 16 bytes by which it is found again.
  public let subject: [UInt8]?
  /// Who did it.
  public let actor: ID<Person>?
  /// As which couple they did it.
  public let couple: ID<Couple>?
  /// What happened, where a kind has several cases: one of the words that `NoticeFormatter` knows.
  public let event: String
  /// A name or the first words of something, as they were then.
  public let detail: String
  /// A second such name, where one isn't enough.
  public let note: String
  /// Where it can be seen, an address of this house.
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

  /// The beginning of somebody's words on one line.
  public static func excerpt(_ words: String) -> String {
    let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let most = NoticeRules.excerptMost
    guard !most.allow(line) else { return line }
    let start = most.beginning(of: line).prefix(most.characters - 1)
    // Between words where there are some; Chinese has none.
    let end = start.lastIndex(of: " ").map { start[..<$0] } ?? start
    return "\(end.count > most.characters / 2 ? end : start)…"
  }
}

/// A notice as its reader sees it.
struct Notice: Sendable {
  let id: ID<Notice>
  let kind: NoticeKind
  let event: String
  let detail: String
  let note: String
  let path: String
  let createdAt: Instant
  let isRead: Bool
  /// Who did it, the latest first; two at most.
  var actors: [Actor] = []
  /// How many did it in all.
  var actorCount = 0

  struct Actor: Sendable {
    let name: String
    /// Below the media folder.
    let avatar: String?
  }
}

enum NoticeRules {
  /// So many are on a page.
  static let pageSize = 30
  /// Counting goes no further: the mark says "99+".
  static let countMost = 100
  /// How long they are kept, in s.
  static let life: Int64 = .days(90)
  /// So many characters of a post stand in a notice.
  static let excerptMost = FieldLimits(characters: 60)

  /// The number in the header: "3", "99+"; nil for none.
  static func mark(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    return count < countMost ? String(count) : "\(countMost - 1)+"
  }
}
