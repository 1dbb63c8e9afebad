import Core
import Database

/// The words of a search, compared without case, accents and width forms. All must be in a text,
/// whole or as parts.
struct MessageNeedle {
  private let words: [String]

  init(_ text: String) {
    words = text.folded.split(whereSeparator: \.isWhitespace).prefix(8).map(String.init)
  }

  var isEmpty: Bool { words.isEmpty }

  func isIn(_ text: String) -> Bool {
    let folded = text.folded
    return words.allSatisfy { folded.contains($0) }
  }
}

/// Searches the viewer's own conversations. Texts are encrypted, so they are decrypted and compared
/// one by one, the newest first, as many as `MessageRules.searched` (docs/developer/messages.md).
struct MessageSearch {
  private static let batch = 250

  let services: MessagesEnvironment
  let viewer: Viewer
  let needle: MessageNeedle

  /// The texts left to be decrypted.
  private struct Budget {
    var texts: Int
    var bytes: Int

    /// One of so many equal parts of what a request may decrypt.
    init(part: Int = 1) {
      texts = MessageRules.searched / part
      bytes = MessageRules.searchedBytes / part
    }

    var isSpent: Bool { texts <= 0 || bytes <= 0 }
  }

  /// The newest hits of all conversations. Each may decrypt the same number of texts, so that a long
  /// one does not keep the others from being searched.
  func all(in reader: ReadTransaction) throws -> MessageSearchResult {
    var found: [(id: ID<Message>, conversation: Conversation)] = []
    let list = try services.conversations.list(
      of: viewer, after: .start, limit: MessageRules.searchedConversations, in: reader)
    for (conversation, _) in list {
      var budget = Budget(part: list.count)
      found += try find(in: conversation, before: nil, &budget, reader).ids.map {
        (id: $0, conversation: conversation)
      }
    }
    // Identifiers sort by the time of creation.
    found.sort { $0.id > $1.id }
    return MessageSearchResult(
      hits: try hits(Array(found.prefix(MessageRules.searchPageSize * 2)), reader), next: nil)
  }

  /// The hits of one conversation before a number.
  func one(
    _ conversation: Conversation, before number: Int?, in reader: ReadTransaction
  ) throws -> MessageSearchResult {
    var budget = Budget()
    let found = try find(in: conversation, before: number, &budget, reader)
    let ids = found.ids.map { (id: $0, conversation: conversation) }
    return MessageSearchResult(hits: try hits(ids, reader), next: found.next)
  }

  /// At most a page of hits, and the number before which the search goes on; nil at the end.
  private func find(
    in conversation: Conversation, before number: Int?, _ budget: inout Budget,
    _ reader: ReadTransaction
  ) throws -> (ids: [ID<Message>], next: Int?) {
    var ids: [ID<Message>] = []
    var place = number
    while !budget.isSpent {
      let limit = min(Self.batch, budget.texts)
      let texts = try services.messages.texts(
        of: conversation.id, before: place, for: viewer, limit: limit, in: reader)
      for text in texts {
        place = text.number
        budget.texts -= 1
        budget.bytes -= text.text.utf8.count
        if needle.isIn(text.text) { ids.append(text.id) }
        if ids.count == MessageRules.searchPageSize { return (ids, place) }
      }
      if texts.count < limit { return (ids, nil) }
    }
    return (ids, place)
  }

  /// The messages themselves, in the same order: one query for a page.
  private func hits(
    _ found: [(id: ID<Message>, conversation: Conversation)], _ reader: ReadTransaction
  ) throws -> [MessageHit] {
    let messages = try services.messages.find(found.map(\.id), for: viewer, in: reader)
    let byID = Dictionary(messages.map { ($0.id, $0) }) { first, _ in first }
    return found.compactMap { id, conversation in
      byID[id].map { MessageHit(message: $0, conversation: conversation) }
    }
  }
}
