import Core
import Database
import Messages
import Moderation

/// Messages as reporters and moderators see and change them: the messages module's implementation
/// of the moderation module's protocol.
struct MessageReportAdapter: ReportableMessages {
  let moderation: MessageModeration

  func seen(
    _ id: ID<ReportedMessage>, in conversation: ID<ReportedConversation>, by viewer: Viewer
  ) throws -> ReportedMessageCard {
    let (content, mayReport) = try moderation.seen(
      id.cast(to: Message.self), in: conversation.cast(to: Conversation.self), by: viewer)
    return card(content, isOwn: !mayReport)
  }

  func card(_ id: ID<ReportedMessage>) throws -> ReportedMessageCard? {
    try moderation.card(id.cast(to: Message.self)).map { card($0, isOwn: false) }
  }

  func noteReport(of id: ID<ReportedMessage>, now: Instant, in writer: WriteTransaction) throws {
    try moderation.noteReport(of: id.cast(to: Message.self), now: now, in: writer)
  }

  func forgetReport(of id: ID<ReportedMessage>, in writer: WriteTransaction) throws {
    try moderation.forgetReport(of: id.cast(to: Message.self), in: writer)
  }

  func set(
    _ state: ReportTargetState, of id: ID<ReportedMessage>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try moderation.set(
      MessageState(state), of: id.cast(to: Message.self), now: now, with: change)
  }

  private func card(_ content: ReportedMessageContent, isOwn: Bool) -> ReportedMessageCard {
    ReportedMessageCard(
      couple: content.couple, coupleName: content.coupleName, author: content.author,
      authorName: content.authorName, content: content.text,
      otherTexts: content.otherTexts,
      pictures: content.pictures.map {
        ReportedPicture(
          medium: $0.medium, thumb: $0.thumb, description: $0.description, width: $0.width,
          height: $0.height)
      },
      voice: content.voice.map { ReportedVoice(path: $0.path, milliseconds: $0.milliseconds) },
      createdAt: content.createdAt, isEdited: content.isEdited, isOwn: isOwn,
      context: content.context.map {
        ReportedMessageLine(
          authorName: $0.authorName, text: $0.text, pictureCount: $0.pictureCount,
          hasVoice: $0.hasVoice, createdAt: $0.createdAt, isReported: $0.isReported)
      })
  }
}

extension MessageState {
  fileprivate init(_ state: ReportTargetState) {
    self =
      switch state {
      case .shown: .shown
      case .hidden: .hidden
      case .removed: .removed
      }
  }
}
