import Core
import Web

/// A conversation as one of its members sees it.
public struct Conversation: Sendable {
  /// The couples that it is between.
  public enum Kind: String, Sendable, CaseIterable {
    /// The two of a couple; it has the couple's identifier.
    case pair
    /// Two couples.
    case couples
  }

  /// The state as the viewer may know it: a request that was declined still waits for its sender.
  public enum State: String, Sendable, CaseIterable {
    case open
    /// One message of a couple that the other one has not accepted.
    case requested
    case declined
    /// A block has ended it, or a request was withdrawn.
    case ended
    /// The couple, or one of the couples, is no longer together: readable only.
    case frozen
  }

  /// The other couple of a conversation between couples.
  public struct OtherCouple: Sendable {
    public let id: ID<Couple>
    public let name: String
    /// The members who are not deleted.
    public let people: [Viewer.Avatar]
  }

  public let id: ID<Conversation>
  public let kind: Kind
  public let state: State
  /// The other couple; nil for the conversation of the two.
  public let other: OtherCouple?
  /// The partner in the conversation of the two; nil if the account is deleted.
  public let partner: Viewer.Avatar?
  /// Whether the viewer's own couple has sent the request; meaningful while it is requested.
  public let isOwnRequest: Bool
  /// Goes up with every change that a member sees.
  public let version: Int
  public let unread: Int
  /// Whether the viewer may write a message now.
  public let mayWrite: Bool
  /// Whether the viewer may accept the request.
  public let mayAnswerRequest: Bool
  /// Whether the viewer may decline the request, also while suspended.
  public let mayDecline: Bool
  /// Whether the viewer's couple has sent a request that waits, and may take it back.
  public let mayWithdraw: Bool
  /// When no notices come, in the viewer's time zone.
  public let mutedHours: MutedHours?

  /// The name of the conversation for the viewer: the partner or the other couple; "" for a partner
  /// whose account is deleted.
  public var title: String { other?.name ?? partner?.name ?? "" }

  /// The pictures beside the title: the partner, or the members of the other couple.
  public var faces: [Viewer.Avatar] { other?.people ?? partner.map { [$0] } ?? [] }
}

/// A row of the list of conversations.
public struct ConversationSummary: Sendable {
  public let conversation: Conversation
  /// The latest message that the viewer sees; nil if there is none.
  public let latest: Message?
  /// The time of the latest message; of the beginning if there is none.
  public let at: Instant
}

/// The hours of the day without notices of a conversation.
public struct MutedHours: Sendable, Equatable {
  /// In minutes since midnight, 0 to 1,439.
  public let from: Int
  /// The end, exclusive. The same as `from` for the whole day; smaller if it is on the next day.
  public let to: Int

  /// Nil outside a day.
  public init?(from: Int, to: Int) {
    guard 0..<1440 ~= from, 0..<1440 ~= to else { return nil }
    self.from = from
    self.to = to
  }

  /// No notices at all.
  public static var always: MutedHours? { MutedHours(from: 0, to: 0) }

  public var isAlways: Bool { from == to }

  /// A minute of the day as people write it: "22:00".
  static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }

  /// Whether a minute of the day is within the hours.
  public func contains(minute: Int) -> Bool {
    if from == to { return true }
    return from < to ? from..<to ~= minute : minute >= from || minute < to
  }
}

/// A user's settings for all conversations.
public struct MessageSettings: Sendable, Equatable {
  /// Whether notices show the beginning of a message.
  public var showsContent = false
  /// Whether others see what the user has read, and the user what others have read.
  public var sharesReads = true

  public init(showsContent: Bool = false, sharesReads: Bool = true) {
    self.showsContent = showsContent
    self.sharesReads = sharesReads
  }
}

/// A way to write to another couple.
public struct CoupleContact: Sendable {
  /// The conditions of a message.
  public enum Way: String, Sendable, CaseIterable {
    /// Both couples follow each other, or a request was accepted.
    case open
    /// One message without links and pictures, until the other couple accepts it.
    case request
    /// The viewer may not write to this couple.
    case none
  }

  public let couple: ID<Couple>
  public let name: String
  public let people: [Viewer.Avatar]
  public let way: Way
  /// The conversation, if there is one that the viewer sees.
  public let conversation: ID<Conversation>?
}
