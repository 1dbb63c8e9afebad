/// The phantom type of the identifier of a user: member or guest.
public enum Person {}

/// The phantom type of the identifier of a couple.
public enum Couple {}

/// A user's role, in ascending order; each role includes the rights of all before it.
public enum Role: Int, Sendable, Comparable {
  case anyone = 0
  case guest = 1
  case member = 2
  case moderator = 3
  case admin = 4

  public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}

/// The states of a couple (docs/developer/accounts.md#people-and-couples;
/// docs/developer/product.md#couples).
public enum CoupleStatus: String, Sendable, CaseIterable {
  case pending
  case active
  case single
  case frozen
}

/// The user who makes the request. Every query on behalf of a user takes a viewer and returns only
/// what the viewer may see.
public struct Viewer: Sendable {
  /// The values of the viewer's own couple that every page needs.
  public struct CoupleSummary: Sendable {
    public let id: ID<Couple>
    public let name: String
    public let status: CoupleStatus
    public let partner: Avatar?
    /// Whether moderators removed its page and posts, for its members as well
    /// (docs/developer/moderation.md).
    public let isRemoved: Bool
    public let anniversary: LocalDay?
    /// Whether the viewer comes second where the two are named.
    public let isSecond: Bool

    public init(
      id: ID<Couple>, name: String, status: CoupleStatus, partner: Avatar?, isRemoved: Bool = false,
      anniversary: LocalDay? = nil, isSecond: Bool = false
    ) {
      self.isRemoved = isRemoved
      self.anniversary = anniversary
      self.isSecond = isSecond
      self.id = id
      self.name = name
      self.status = status
      self.partner = partner
    }
  }

  /// A name, and the path of a picture if there is one.
  public struct Avatar: Sendable {
    public let name: String
    public let avatar: String?

    public init(name: String, avatar: String?) {
      self.name = name
      self.avatar = avatar
    }
  }

  public let id: ID<Person>
  public let role: Role
  public let avatar: Avatar
  public let couple: CoupleSummary?
  /// The chosen language; nil to use the browser's.
  public let language: Language?
  public let theme: Theme?
  /// The chosen units of distances; nil for those of this browser.
  public let units: LengthUnits?
  /// Nil until a browser or an app has reported one.
  public let timeZone: AccountTimeZone?
  /// The moderators' suspension, while it lasts.
  public let suspension: Suspension?

  public init(
    id: ID<Person>, role: Role, avatar: Avatar, couple: CoupleSummary?, language: Language? = nil,
    theme: Theme? = nil, units: LengthUnits? = nil, timeZone: AccountTimeZone? = nil,
    suspension: Suspension? = nil
  ) {
    self.id = id
    self.role = role
    self.avatar = avatar
    self.couple = couple
    self.language = language
    self.theme = theme
    self.units = units
    self.timeZone = timeZone
    self.suspension = suspension
  }

  /// Whether the viewer may write posts: a member without a couple, or in an `active` or `single`
  /// one (docs/developer/product.md#who-may-post), unless the viewer is suspended or the couple is
  /// removed (docs/developer/moderation.md).
  public var mayPost: Bool {
    guard role >= .member, suspension == nil else { return false }
    return couple.map { !$0.isRemoved && ($0.status == .active || $0.status == .single) } ?? true
  }

  /// The couple whose posts the viewer may delete, restore and narrow together with the partner; nil
  /// after parting, and without a partner.
  public var sharedCouple: ID<Couple>? {
    couple.flatMap { $0.status == .active && !$0.isRemoved ? $0.id : nil }
  }

  /// The members of the viewer's couple, as far as they are not deleted, in their order; the viewer
  /// without a couple.
  public var coupleMembers: [Avatar] {
    guard let couple, let partner = couple.partner else { return [avatar] }
    return couple.isSecond ? [partner, avatar] : [avatar, partner]
  }

  /// The couple whose posts count as the viewer's own; nil if a moderator removed it
  /// (docs/developer/moderation.md).
  public var ownCouple: ID<Couple>? {
    couple.flatMap { $0.isRemoved ? nil : $0.id }
  }
}

/// A temporary or permanent ban from posting, liking, following and reporting
/// (docs/developer/moderation.md).
public struct Suspension: Sendable, Equatable {
  /// The end; nil for a permanent one.
  public let until: Instant?
  /// The moderator's reason.
  public let why: String

  public init(until: Instant?, why: String) {
    self.until = until
    self.why = why
  }
}

/// The colour theme that a user chose.
public enum Theme: String, Sendable, CaseIterable {
  case auto
  case light
  case dark
}
