import Core
import Images
import Web

/// A picture or a film with a line of words that is seen for a day, as one viewer sees it.
public struct Moment: Sendable {
  /// The couples that see it.
  public enum Audience: String, Sendable, CaseIterable, JSONEnum {
    case followers
    /// The couple of its author only.
    case couple
  }

  /// The kind of its file.
  public enum Content: Sendable, Equatable {
    /// `hasWebP` says whether the smaller files also exist as WebP.
    case picture(fileExtension: String, hasWebP: Bool)
    /// The length is in ms.
    case film(milliseconds: Int, hasSound: Bool)
  }

  public let id: ID<Moment>
  public let couple: ID<Couple>
  public let author: ID<Person>
  public let avatar: Viewer.Avatar
  public let audience: Audience
  /// "" for none.
  public let words: String
  /// The random identifier in the names of its files.
  public let file: ID<MomentFile>
  public let content: Content
  /// In px.
  public let width: Int
  public let height: Int
  public let createdAt: Instant
  /// The end, exclusive: 24 hours after its beginning.
  public let endsAt: Instant
  /// Whether moderators have hidden it: only its author sees it.
  public let isHidden: Bool
  /// Whether the viewer is its author, or is or was in its couple.
  public let isOfOwnCouple: Bool
  /// Whether the viewer has seen it before; the author has.
  public let isSeen: Bool

  public var isFilm: Bool {
    if case .film = content { return true }
    return false
  }

  public var hasSound: Bool {
    if case .film(_, let hasSound) = content { return hasSound }
    return false
  }

  /// Whether the viewer may delete it: the author, and the partner of an active couple.
  public func mayDelete(_ viewer: Viewer) -> Bool {
    author == viewer.id || couple == viewer.sharedCouple
  }

  /// Whether the viewer may report it: all but its author, the partner too.
  public func mayReport(_ viewer: Viewer) -> Bool { author != viewer.id }

  /// Whether the viewer may save its film, which no album holds: its author.
  func maySaveFilm(_ viewer: Viewer) -> Bool { isFilm && author == viewer.id }

  /// Whether the viewer sees its viewers: the members of the couple today, and the author.
  public func maySeeViewers(_ viewer: Viewer) -> Bool {
    author == viewer.id || couple == viewer.ownCouple
  }
}

/// The phantom type of the identifier in the names of a moment's files.
public enum MomentFile {}

/// A couple with moments, for the row of circles.
public struct MomentCircle: Sendable {
  public let couple: ID<Couple>
  public let name: String
  public let people: [Viewer.Avatar]
  /// The moments that the viewer sees.
  public let count: Int
  /// Those of them that the viewer has not seen yet.
  public let unseen: Int
  public let latestAt: Instant
}

/// A member who has seen a moment.
struct MomentViewer: Sendable {
  let person: ID<Person>
  let avatar: Viewer.Avatar
  /// The member's couple; nil if it is not shown to others.
  let couple: (id: ID<Couple>, name: String)?
  let at: Instant
}

/// A new moment with its checked fields.
struct NewMoment: Sendable {
  let id: ID<Moment>
  let audience: Moment.Audience
  let words: String
}

/// The stored files of a new moment.
struct MadeMomentFile: Sendable {
  let file: ID<MomentFile>
  let content: Moment.Content
  let width: Int
  let height: Int
  let bytes: Int
}
