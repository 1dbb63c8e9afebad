import Core
import Database
import Messages
import Notices

/// Turns messages into notices, which hold no words of them.
struct MessageNotifier: MessagesObserver {
  let board: NoticeService

  func wrote(_ notice: MessageNotice, now: Instant, in writer: WriteTransaction) throws {
    // In a conversation of the two, whose identifier is the couple's, the partner is named.
    let isPair = notice.conversation.bytes == notice.couple.bytes
    try board.notify(
      notice.recipients,
      NewNotice(
        .message, subject: notice.conversation.bytes, actor: notice.author,
        couple: isPair ? nil : notice.couple, event: notice.isRequest ? "request" : "",
        path: notice.path),
      quietUntil: notice.reading, now: now, in: writer)
  }

  func hasRead(
    _ conversation: ID<Conversation>, by person: ID<Person>, in writer: WriteTransaction
  ) throws {
    try board.settle(.message, subject: conversation.bytes, of: person, in: writer)
  }
}

/// The texts of pushes about messages, made when they are sent.
struct MessagePushAdapter: PushTexts {
  let pushes: MessagePushes

  func text(
    of kind: NoticeKind, subject: [UInt8]?, for person: ID<Person>, in reader: ReadTransaction
  ) throws -> PushText? {
    guard kind == .message, let id = subject.flatMap({ ID<Conversation>(bytes: $0) }) else {
      return .plain
    }
    return try pushes.content(of: id, for: person, in: reader).map {
      $0.isVoice ? .voiceNote(from: $0.name) : .message(from: $0.name, words: $0.text)
    }
  }
}
