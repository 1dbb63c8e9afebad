import Core

/// A group as one person sees it: one of its members, or somebody with its code.
public struct Group: Sendable {
  public let id: ID<Group>
  public let name: String
  /// Nil for a closed group that its last leader has left.
  public let leader: ID<Person>?
  public let leaderName: String?
  /// The address of a picture, if there is one.
  public let leaderAvatar: String?
  /// Goes up with every change that members see.
  public let version: Int
  public let mayJoin: Bool
  /// Whether followers see the code too.
  public let membersInvite: Bool
  public let activeWaypoint: ID<Waypoint>?
  public let createdAt: Instant
  public let closedAt: Instant?
  public let code: Invitation?
  public let memberCount: Int
  /// The part that who looks has in it; nil for who is no member.
  public let own: Membership?

  /// The codes that let people in.
  public struct Invitation: Sendable {
    /// To be typed.
    public let code: InviteCode
    /// For links and QR codes.
    public let linkCode: InviteCode
    public let madeAt: Instant
    public let expiresAt: Instant
  }

  /// Somebody's part in a group.
  public struct Membership: Sendable {
    public let person: ID<Person>
    /// Until when they share their place; nil for who doesn't. May have passed.
    public let sharingUntil: Instant?
  }

  public var isOpen: Bool { closedAt == nil }

  /// Whether who looks leads it.
  public var isLed: Bool { own.map { $0.person == leader } ?? false }

  /// Whether who looks may see the code and let others in.
  public var mayInvite: Bool { isOpen && own != nil && (isLed || membersInvite) }

  public func isLed(by person: ID<Person>) -> Bool { leader == person }

  /// Until when who looks shares their place; nil when they don't.
  public func sharing(now: Instant) -> Instant? {
    own?.sharingUntil.flatMap { isOpen && $0 > now ? $0 : nil }
  }
}

/// The kind of the identifier of a membership.
public enum GroupMembership {}

/// Somebody in a group.
public struct Member: Sendable {
  public let id: ID<GroupMembership>
  public let person: ID<Person>
  public let name: String
  /// The address of a picture, if there is one.
  public let avatar: String?
  public let role: GroupRole
  public let joinedAt: Instant
  /// Until when they share their place; nil for who doesn't.
  public let sharingUntil: Instant?
  /// Where they were last; nil for who doesn't share it.
  public let place: MemberPlace?
}

/// What somebody is in a group.
public enum GroupRole: String, Sendable, CaseIterable {
  case leader
  case follower
}

/// The last place of a member.
public struct MemberPlace: Sendable, Equatable {
  public let position: Position
  /// How far off it may be, in m; nil when nobody said.
  public let accuracy: Double?
  /// When they were there.
  public let at: Instant

  public init(position: Position, accuracy: Double?, at: Instant) {
    self.position = position
    self.accuracy = accuracy
    self.at = at
  }
}

/// A named point that the leader has set.
public struct Waypoint: Sendable {
  public let id: ID<Waypoint>
  public let name: String
  public let position: Position
  public let createdAt: Instant
}

/// One line of a group's log.
public struct GroupEvent: Sendable {
  /// The version that it led to.
  public let version: Int
  public let kind: GroupEventKind
  /// Whom it is about; nil for who has deleted their account.
  public let person: ID<Person>?
  public let personName: String?
  public let note: String?
  public let at: Instant
}

/// What can happen in a group.
public enum GroupEventKind: String, Sendable, CaseIterable {
  case created
  case joined
  case left
  case removed
  /// Somebody who was removed may come again.
  case allowed
  /// Somebody leads from now on.
  case leads
  /// The note is the new name.
  case renamed
  /// Joining, or inviting, was turned on or off.
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

  /// What only the leader calls out.
  public static let commands: [GroupEventKind] = [.gather, .move, .rest, .comeBack, .emergency]
  /// What every member may answer.
  public static let answers: [GroupEventKind] = [.onMyWay, .needHelp]

  /// Whether it is a word to all the others (docs/developer/groups.md: each is a notice).
  public var isCall: Bool { Self.commands.contains(self) || Self.answers.contains(self) }
}

/// The numbers of docs/developer/groups.md.
public enum GroupRules {
  /// Characters of a group's name, and of a waypoint's.
  public static let nameMost = FieldLimits(characters: 60)
  /// Characters of the words with a command.
  public static let noteMost = FieldLimits(characters: 200)
  public static let membersMost = 250
  public static let waypointsMost = 20
  /// How long a code lets people in, in s.
  public static let codeLife: Int64 = .hours(24)
  /// How long a place is shared, in s.
  public static let sharingLife: Int64 = .hours(8)
  /// After so long a place is forgotten, in s.
  public static let placeLife: Int64 = .hours(24)
  /// After so long a place is shown as an old one, in s.
  public static let placeFresh: Int64 = .minutes(5)
  /// Places that come sooner after each other are ignored, in ms.
  public static let placePace: Int64 = 5000
  /// How long a closed group can be looked at, in s.
  public static let closedLife: Int64 = .days(30)
  /// How long a log goes back, in s.
  public static let logLife: Int64 = .days(90)
  /// Lines of the log on a page, and in an answer that asks for no version.
  public static let logShown = 50
  /// Events in an answer that asks for what came after a version.
  public static let eventsMost = 500
  /// Groups that one person may be in, open and closed.
  public static let groupsMost = 100
}
