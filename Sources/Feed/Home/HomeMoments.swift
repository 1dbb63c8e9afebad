import Core
import Templates
import Web

/// The row of circles on top of the feed's first page, which the Moments module gives.
public struct HomeMoments: View {
  /// A couple with moments.
  public struct Circle: View {
    public let name: String
    public let people: [Viewer.Avatar]
    public let path: String
    /// Whether there is one that the viewer has not seen.
    public let isNew: Bool
    public let isOwn: Bool

    public init(
      name: String, people: [Viewer.Avatar], path: String, isNew: Bool, isOwn: Bool
    ) {
      self.name = name
      self.people = people
      self.path = path
      self.isNew = isNew
      self.isOwn = isOwn
    }

    public static let fields: [String: Field<Circle>] = [
      "name": .text { $0.name },
      "people": .list { $0.people.map(AvatarView.init) },
      "link": .text { $0.path },
      "new": .flag { $0.isNew },
      "own": .flag { $0.isOwn },
    ]
  }

  /// The form of a new moment; nil for a viewer who may make none.
  public let newPath: String?
  public let circles: [Circle]

  public init(newPath: String?, circles: [Circle]) {
    self.newPath = newPath
    self.circles = circles
  }

  public static let fields: [String: Field<HomeMoments>] = [
    "new_link": .optionalText { $0.newPath },
    "circles": .list { $0.circles },
  ]
}
