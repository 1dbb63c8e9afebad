/// The kind of the identifier of somebody with an account: member or guest.
public enum Person {}

/// The kind of the identifier of a couple.
public enum Couple {}

/// What somebody may, from least to most; each may all that stands before it.
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

/// Who looks: every query that serves a person takes one, and answers only what they may see.
public struct Viewer: Sendable {
  /// The viewer's own couple, as far as every page needs it.
  public struct CoupleSummary: Sendable {
    public let id: ID<Couple>
    public let name: String
    public let status: CoupleStatus
    public let partner: Avatar?
    /// Whether moderators removed its page and its posts, for the two as well
    /// (docs/developer/moderation.md).
    public let isRemoved: Bool

    public init(
      id: ID<Couple>, name: String, status: CoupleStatus, partner: Avatar?, isRemoved: Bool = false
    ) {
      self.isRemoved = isRemoved
      self.id = id
      self.name = name
      self.status = status
      self.partner = partner
    }
  }

  /// A name and the address of a picture, if there is one.
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
  /// What they chose; nil for "as the browser says".
  public let language: Language?
  public let theme: Theme?
  /// Nil until a browser told it.
  public let timeZone: KeptTimeZone?
  /// What moderators decided, while it lasts.
  public let suspension: Suspension?

  public init(
    id: ID<Person>, role: Role, avatar: Avatar, couple: CoupleSummary?, language: Language? = nil,
    theme: Theme? = nil, timeZone: KeptTimeZone? = nil, suspension: Suspension? = nil
  ) {
    self.id = id
    self.role = role
    self.avatar = avatar
    self.couple = couple
    self.language = language
    self.theme = theme
    self.timeZone = timeZone
    self.suspension = suspension
  }

  /// Who may write posts: members on their own, and those of an `active` or `single` couple
  /// (docs/developer/product.md#who-may-post), while neither they are suspended nor it is removed
  /// (docs/developer/moderation.md).
  public var mayPost: Bool {
    guard role >= .member, suspension == nil else { return false }
    return couple.map { !$0.isRemoved && ($0.status == .active || $0.status == .single) } ?? true
  }

  /// The couple whose posts one sees as one's own; none that a moderator removed
  /// (docs/developer/moderation.md).
  public var ownCouple: ID<Couple>? {
    couple.flatMap { $0.isRemoved ? nil : $0.id }
  }
}

/// What keeps somebody from posting, liking, following and reporting for a while
/// (docs/developer/moderation.md).
public struct Suspension: Sendable, Equatable {
  /// Nil for good.
  public let until: Instant?
  /// A moderator's words.
  public let why: String

  public init(until: Instant?, why: String) {
    self.until = until
    self.why = why
  }
}

/// The colours somebody chose.
public enum Theme: String, Sendable, CaseIterable {
  case auto
  case light
  case dark
}
