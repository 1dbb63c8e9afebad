import Core
import Films
import Foundation
import Images

/// Paths of this module's pages.
public enum MessageLinks {
  /// The list of conversations.
  public static let messages = "/messages"
  /// Settings of notices and read marks.
  public static let settings = "/messages/settings"
  /// The search of all own conversations.
  public static let search = "/messages/search"

  /// The list after a conversation.
  static func list(after cursor: String) -> String { "\(messages)?after=\(cursor)" }

  /// A conversation; posting to it sends a message.
  public static func conversation(_ id: ID<Conversation>) -> String { "\(messages)/\(id)" }

  /// Parts of a conversation.
  static func earlier(than number: Int, in id: ID<Conversation>) -> String {
    "\(conversation(id))?before=\(number)"
  }
  static func from(_ number: Int, in id: ID<Conversation>) -> String {
    "\(conversation(id))?from=\(number)"
  }
  /// One message of a conversation, marked.
  static func message(_ number: Int, in id: ID<Conversation>) -> String {
    "\(conversation(id))?from=\(number)#message-\(number)"
  }

  /// Settings of one conversation: muted hours.
  static func settings(of id: ID<Conversation>) -> String { "\(conversation(id))/settings" }
  static func accept(_ id: ID<Conversation>) -> String { "\(conversation(id))/accept" }
  static func decline(_ id: ID<Conversation>) -> String { "\(conversation(id))/decline" }
  /// Takes back the request of the viewer's couple.
  static func withdraw(_ id: ID<Conversation>) -> String { "\(conversation(id))/withdraw" }
  static func search(in id: ID<Conversation>) -> String { "\(conversation(id))/search" }

  /// The next page of a search in one conversation.
  static func search(_ text: String, in id: ID<Conversation>, before number: Int) -> String {
    var address = URLComponents()
    address.queryItems = [
      URLQueryItem(name: "q", value: text), URLQueryItem(name: "before", value: "\(number)"),
    ]
    // A plus sign would be decoded as a space.
    return search(in: id) + "?" + (address.percentEncodedQuery ?? "").replacing("+", with: "%2B")
  }

  /// Pages and forms of one message: `/messages/:id/:message/…`.
  static func edit(_ message: ID<Message>, in id: ID<Conversation>) -> String {
    "\(conversation(id))/\(message)/edit"
  }
  static func delete(_ message: ID<Message>, in id: ID<Conversation>) -> String {
    "\(conversation(id))/\(message)/delete"
  }
  /// A form with the field `reaction`: a `ReactionKind`, or "" for none.
  static func react(_ message: ID<Message>, in id: ID<Conversation>) -> String {
    "\(conversation(id))/\(message)/react"
  }
  /// The composer with a quoted message.
  static func answer(_ message: ID<Message>, in id: ID<Conversation>) -> String {
    "\(conversation(id))?answer=\(message)#compose"
  }
  /// A page of the moderation module.
  static func report(_ message: ID<Message>, in id: ID<Conversation>) -> String {
    "\(conversation(id))/\(message)/report"
  }
  /// One picture in full size; numbers start at 1.
  static func picture(_ number: Int, of message: ID<Message>, in id: ID<Conversation>) -> String {
    "\(conversation(id))/\(message)/pictures/\(number)"
  }

  /// Writing to another couple.
  public static func couple(_ id: ID<Couple>) -> String { "/couples/\(id)/message" }

  /// The file of a picture.
  static func file(
    _ picture: MessagePicture, _ variant: PictureVariant, of message: ID<Message>,
    in id: ID<Conversation>, fileExtension: String? = nil
  ) -> String {
    let name = variant.fileName(
      id: picture.id.description, fileExtension: fileExtension ?? picture.fileExtension)
    return "/media/messages/\(id)/\(message)/\(name)"
  }

  /// The file of a voice note.
  static func file(
    _ voice: MessageVoice, of message: ID<Message>, in id: ID<Conversation>
  ) -> String {
    "/media/messages/\(id)/\(message)/\(FilmFiles.voice(voice.id.description))"
  }

  /// The stream of one conversation, and of the viewer's list.
  static func events(of id: ID<Conversation>) -> String { "/api/v1/conversations/\(id)/events" }
  static let events = "/api/v1/conversations/events"
  /// Changes for pages that poll.
  static func changes(of id: ID<Conversation>) -> String {
    "/api/v1/conversations/\(id)/messages"
  }
}
