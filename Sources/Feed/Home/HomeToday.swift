import Core

/// The content for a user's home page today that other modules give.
public struct HomeToday: Sendable {
  public enum CheckIn: Sendable {
    /// Not expected today, for example in a pause.
    case none
    case due
    case done
  }

  /// An open group of the user.
  public struct Group: Sendable {
    public let name: String
    public let path: String

    public init(name: String, path: String) {
      self.name = name
      self.path = path
    }
  }

  /// An alert about another user, whose emergency contact the user is.
  public struct ReceivedAlert: Sendable {
    public let text: String
    public let path: String

    public init(text: String, path: String) {
      self.text = text
      self.path = path
    }
  }

  public let checkIn: CheckIn
  /// Until when the user's timer runs; nil without one.
  public let timer: String?
  /// That the user's emergency contacts were alerted; nil if they weren't.
  public let alert: String?
  public let received: [ReceivedAlert]
  public let groups: [Group]

  public init(
    checkIn: CheckIn = .none, timer: String? = nil, alert: String? = nil,
    received: [ReceivedAlert] = [], groups: [Group] = []
  ) {
    self.checkIn = checkIn
    self.timer = timer
    self.alert = alert
    self.received = received
    self.groups = groups
  }
}
