import Accounts
import Core
import Database
import Web

/// The names and pictures of conversations, which are asked for all at once.
extension ConversationStore {
  /// Completes rows with the names that the viewer sees, in the same order.
  func conversations(
    _ rows: [ConversationRow], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [Conversation] {
    let others = try otherCouples(
      rows.compactMap { $0.kind == .couples ? $0.other : nil }, in: reader)
    let partners = try partners(
      in: rows.filter { $0.kind == .pair }.map(\.id), of: viewer, in: reader)
    return rows.map { row in
      conversation(
        row, other: row.other.flatMap { others[$0] }, partner: partners[row.id], viewer)
    }
  }

  private func conversation(
    _ row: ConversationRow, other: Conversation.OtherCouple?, partner: Viewer.Avatar?,
    _ viewer: Viewer
  ) -> Conversation {
    let isOwnRequest = row.isOwnRequest ?? false
    // The viewer writes for the couple of today; a couple that was left is past.
    let isCurrent = row.isOpen && row.own == viewer.ownCouple
    let stored: Conversation.State = row.isWithdrawn ? .ended : row.state
    let isOther = row.kind == .couples
    let isRequest = isCurrent && (stored == .requested || stored == .declined)
    let isAsked = isRequest && !isOwnRequest
    let mayWrite =
      switch stored {
      case .open: isCurrent && (isOther ? viewer.mayPost : viewer.sharedCouple == row.own)
      case .requested, .declined: isAsked && viewer.mayPost
      case .ended, .frozen: false
      }
    return Conversation(
      id: row.id, kind: row.kind,
      state: stored != .ended && !isCurrent
        ? .frozen : stored == .declined && isOwnRequest ? .requested : stored,
      other: isOther ? other : nil, partner: isOther ? nil : partner,
      isOwnRequest: isOwnRequest, version: row.version, unread: row.unread, mayWrite: mayWrite,
      mayAnswerRequest: isAsked && mayWrite, mayDecline: isAsked,
      mayWithdraw: isRequest && isOwnRequest, mutedHours: row.mutedHours)
  }

  private func otherCouples(
    _ couples: [ID<Couple>], in reader: ReadTransaction
  ) throws -> [ID<Couple>: Conversation.OtherCouple] {
    guard !couples.isEmpty else { return [:] }
    let found = try reader.rows(
      """
      SELECT c.id, c.name, c.first_name, c.first_avatar, c.second_name, c.second_avatar
      FROM couples_seen c WHERE c.id IN \(IDList(couples))
      """
    ) {
      Conversation.OtherCouple(
        id: try $0.next(), name: try $0.next(), people: try CoupleAvatars.read(&$0))
    }
    return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The partners in conversations of two, by their conversation.
  private func partners(
    in ids: [ID<Conversation>], of viewer: Viewer, in reader: ReadTransaction
  ) throws -> [ID<Conversation>: Viewer.Avatar] {
    guard !ids.isEmpty else { return [:] }
    let found = try reader.rows(
      """
      SELECT o.conversation_id, w.name, w.avatar FROM \(IDList(ids)) AS i
      CROSS JOIN conversation_members o JOIN people_seen w ON w.id = o.user_id
      WHERE o.conversation_id = i.id AND o.user_id <> \(viewer.id)
      """
    ) { (id: try $0.next(ID<Conversation>.self), avatar: try MessageStore.avatar(&$0)) }
    return Dictionary(found.map { ($0.id, $0.avatar) }) { first, _ in first }
  }
}
