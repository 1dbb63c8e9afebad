import Core

/// A group as shown to one viewer: a member, or a user with its code.
public struct Group: Sendable {
  public let id: ID<Group>
  public let name: String
  /// Nil for a closed group that its last leader has left.
  public let leader: ID<Person>?
  public let leaderName: String?
  /// The URL of the picture, if any.
  public let leaderAvatar: String?
  /// Increases with every change that members see.
  public let version: Int
  public let mayJoin: Bool
  /// Whether followers see the code too.
  public let membersInvite: Bool
  public let activeWaypoint: ID<Waypoint>?
  public let createdAt: Instant
  public let closedAt: Instant?
  public let code: Invitation?
  public let memberCount: Int
  /// The viewer's membership; nil if the viewer is not a member.
  public let own: Membership?

  /// The codes with which users join.
  public struct Invitation: Sendable {
    /// The short code, to be typed.
    public let code: InviteCode
    /// For links and QR codes.
    public let linkCode: InviteCode
    public let createdAt: Instant
    public let expiresAt: Instant
  }

  /// A user's membership in a group.
  public struct Membership: Sendable {
    public let person: ID<Person>
    /// Until when the location is shared; nil if it is not. May be in the past.
    public let sharingUntil: Instant?
  }

  public var isOpen: Bool { closedAt == nil }

  /// Whether the viewer leads the group.
  public var isLedByViewer: Bool { own.map { $0.person == leader } ?? false }

  /// Whether the viewer may see the code and invite others.
  public var mayInvite: Bool { isOpen && own != nil && (isLedByViewer || membersInvite) }

  public func isLed(by person: ID<Person>) -> Bool { leader == person }

  /// Until when the viewer shares their location; nil if they don't.
  public func sharing(now: Instant) -> Instant? {
    own?.sharingUntil.flatMap { isOpen && $0 > now ? $0 : nil }
  }
}

/// The type of the ID of a membership.
public enum GroupMembership {}

/// A member of a group.
public struct Member: Sendable {
  public let id: ID<GroupMembership>
  public let person: ID<Person>
  public let name: String
  /// The URL of the picture, if any.
  public let avatar: String?
  public let role: GroupRole
  public let joinedAt: Instant
  /// Until when the location is shared; nil if it is not.
  public let sharingUntil: Instant?
  /// The last location; nil if not shared.
  public let place: MemberPlace?
}

/// The role of a member.
public enum GroupRole: String, Sendable, CaseIterable {
  case leader
  case follower
}

/// The last location of a member.
public struct MemberPlace: Sendable, Equatable {
  public let position: Position
  /// The accuracy in m; nil if unknown.
  public let accuracy: Double?
  /// When the location was measured.
  public let at: Instant

  public init(position: Position, accuracy: Double?, at: Instant) {
    self.position = position
    self.accuracy = accuracy
    self.at = at
  }
}

/// A named point set by the leader.
public struct Waypoint: Sendable {
  public let id: ID<Waypoint>
  public let name: String
  public let position: Position
  public let createdAt: Instant
}

/// One line of a group's log.
public struct GroupEvent: Sendable {
  /// The group's version after the event.
  public let version: Int
  public let kind: GroupEventKind
  /// The user concerned; nil if their account was deleted.
  public let person: ID<Person>?
  public let personName: String?
  public let note: String?
  public let at: Instant
}

/// The kinds of events in a group.
public enum GroupEventKind: String, Sendable, CaseIterable {
  case created
  case joined
  case left
  case removed
  /// A removed user may join again.
  case allowed
  /// A user becomes the leader.
  case leads
  /// The note is the new name.
  case renamed
  /// Joining or inviting was switched on or off.
  case settings
  case newCode = "new_code"
  case closed
  case sharing
  case notSharing = "not_sharing"
  /// The note of these three is the waypoint's name.
  case waypoint
  case waypointActive = "waypoint_active"
  case waypointGone = "waypoint_gone"
  case gather
  case move
  case rest
  case comeBack = "return"
  case emergency
  case onMyWay = "on_my_way"
  case needHelp = "need_help"
  /// Takes back `needHelp`.
  case isOK = "is_ok"

  /// The calls reserved for the leader.
  public static let commands: [GroupEventKind] = [.gather, .move, .rest, .comeBack, .emergency]
  /// The calls that every member may send.
  public static let answers: [GroupEventKind] = [.onMyWay, .needHelp, .isOK]

  /// Whether it is a call to all other members (docs/developer/groups.md: each is a notice).
  public var isCall: Bool { Self.commands.contains(self) || Self.answers.contains(self) }
}

/// The limits of docs/developer/groups.md.
public enum GroupRules {
  /// The maximum length of the name of a group or waypoint, in characters.
  public static let nameLimits = FieldLimits(characters: 60)
  /// The maximum length of a command's note, in characters.
  public static let noteLimits = FieldLimits(characters: 200)
  public static let maximumMembers = 250
  public static let maximumWaypoints = 20
  /// How long a code is valid, in s.
  public static let codeLifetime: Int64 = .hours(24)
  /// How long a location is shared, in s.
  public static let sharingDuration: Int64 = .hours(8)
  /// After how long a location is deleted, in s.
  public static let locationRetention: Int64 = .hours(24)
  /// After how long a location is shown as old, in s.
  public static let placeFresh: Int64 = .minutes(5)
  /// The minimum interval between locations, in ms; earlier ones are ignored.
  public static let minimumLocationInterval: Int64 = 5000
  /// How long a closed group can be viewed, in s.
  public static let closedGroupRetention: Int64 = .days(30)
  /// How long log entries are kept, in s.
  public static let logRetention: Int64 = .days(90)
  /// The number of log entries on a page, and in a response without `since`.
  public static let logPageSize = 50
  /// The maximum number of events in a response to `since`.
  public static let maximumEvents = 500
  /// The maximum number of groups per user, open and closed.
  public static let maximumGroups = 100
}
