import Core
import Database

/// The text of a push about messages. It is made when the push is sent, so that no queue has names
/// or words of a message, and one push stands for all messages until then.
public struct MessagePushes: Sendable {
  let services: MessagesEnvironment

  /// The latest author whose message a user has not read.
  public struct Content: Sendable {
    public let name: String
    /// The beginning of the message, if the user wants it shown and it is no request; "" without
    /// words.
    public let text: String?
    /// Whether to say that it is a voice note: it has no words, and the user wants it shown.
    public let isVoice: Bool
  }

  /// Nil if the user has read everything, or may not see it any more.
  public func content(
    of conversation: ID<Conversation>, for person: ID<Person>, in reader: ReadTransaction
  ) throws -> Content? {
    let found = try services.messages.latestUnread(in: conversation, of: person, reader)
    guard let found else { return nil }
    let settings = try services.conversations.settings(of: person, in: reader)
    let text = settings.showsContent ? found.text : nil
    return Content(name: found.name, text: text, isVoice: text?.isEmpty == true && found.hasVoice)
  }
}
