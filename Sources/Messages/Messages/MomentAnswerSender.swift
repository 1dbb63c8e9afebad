import Core
import Web

/// Sends answers to moments as messages, for the module of moments.
public struct MomentAnswerSender: Sendable {
  let services: MessagesEnvironment

  /// The way in which the viewer may write to a couple; to the own one, the partner is written to.
  /// Throws 404 if the viewer does not see the couple.
  public func way(to couple: ID<Couple>, for viewer: Viewer) throws -> CoupleContact.Way {
    guard couple != viewer.couple?.id else {
      return viewer.sharedCouple == couple && viewer.mayPost ? .open : .none
    }
    return try ConversationService(services: services).contact(with: couple, for: viewer).way
  }

  /// Sends an answer to a couple, and returns it with the path of its conversation. Throws like
  /// `MessageSender`.
  public func send(
    _ text: String, clientID: String, to couple: ID<Couple>, by viewer: Viewer, now: Instant
  ) throws -> (message: Message, path: String) {
    let new = NewMessage(clientID: clientID, text: text, answersMoment: true)
    let sender = MessageSender(services: services)
    let message =
      couple == viewer.couple?.id
      ? try sender.send(new, to: couple.cast(to: Conversation.self), by: viewer, now: now)
      : try sender.write(new, to: couple, by: viewer, now: now)
    return (message, MessageLinks.newest(in: message.conversation))
  }
}
