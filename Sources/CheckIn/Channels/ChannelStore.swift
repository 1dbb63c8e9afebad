import Core
import Database
import Mail
import Secrets

/// Stores the channels of contacts, and the messages that wait to be sent by them.
struct ChannelStore {
  private static let columns: Query =
    """
    id, contact_id, user_id, offer, recipient_sealed, proven_at, failed_at, code_sent_at,
    removed_at IS NOT NULL
    """

  static let recipient = EncryptedColumn<ContactChannel>(
    table: "contact_channels", owner: "id", column: "recipient_sealed", name: "channel")

  let keys: KeyRing
  private let codeKey: [UInt8]

  init(keys: KeyRing) {
    self.keys = keys
    codeKey = keys.derivedKey(purpose: "channel-code")
  }

  // MARK: Channels

  /// The channels of all contacts of a user, in their order.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [ContactChannel] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM contact_channels
      WHERE user_id = \(person) AND removed_at IS NULL ORDER BY id
      """, make: channel)
  }

  func all(of contact: Contact, in reader: ReadTransaction) throws -> [ContactChannel] {
    try all(of: contact.person, in: reader).filter { $0.contact == contact.id }
  }

  /// A channel by ID; one that was removed is found while it is kept.
  func find(_ id: ID<ContactChannel>, in reader: ReadTransaction) throws -> ContactChannel? {
    try reader.first(
      "SELECT \(Self.columns) FROM contact_channels WHERE id = \(id)", make: channel)
  }

  func add(
    _ id: ID<ContactChannel>, to contact: Contact, offer: String, recipient: String,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO contact_channels (id, contact_id, user_id, offer, recipient_sealed)
      VALUES (\(id), \(contact.id), \(contact.person), \(offer),
        \(try Self.recipient.seal(recipient, of: id, with: keys)))
      """)
  }

  /// The offers that contacts use, each with the number of contacts.
  func offers(in reader: ReadTransaction) throws -> [(offer: String, count: Int)] {
    try reader.rows(
      """
      SELECT offer, count(DISTINCT contact_id) FROM contact_channels WHERE removed_at IS NULL
      GROUP BY offer ORDER BY offer
      """
    ) { (try $0.next(String.self), try $0.next(Int.self)) }
  }

  // MARK: Proof

  /// Stores the keyed hash of a code that is about to be sent; a code before is no longer valid.
  func setCode(
    _ code: String, of id: ID<ContactChannel>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE contact_channels SET code_hash = \(hash(code, id)), code_sent_at = \(now), code_tries = 0
      WHERE id = \(id)
      """)
  }

  /// Compares a code that was entered and counts the try. Returns false if it is wrong, too old, or
  /// was tried too often.
  func prove(
    _ id: ID<ContactChannel>, by code: String, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let stored = try writer.first(
      """
      UPDATE contact_channels SET code_tries = code_tries + 1
      WHERE id = \(id) AND code_hash IS NOT NULL AND code_tries < \(ChannelCode.maximumTries)
        AND code_sent_at > \(now.adding(seconds: -ChannelCode.lifetime))
      RETURNING code_hash
      """
    ) { try $0.next([UInt8].self) }
    guard let stored, ConstantTime.equal(stored, hash(code, id)) else { return false }
    try writer.execute(
      """
      UPDATE contact_channels SET proven_at = \(now), failed_at = NULL, code_hash = NULL,
        code_sent_at = NULL
      WHERE id = \(id)
      """)
    return true
  }

  private func hash(_ code: String, _ id: ID<ContactChannel>) -> [UInt8] {
    Digests.hmac(id.bytes + Array(code.utf8), key: codeKey)
  }

  /// Records whether the last message was taken over by the service.
  func record(
    isSent: Bool, of id: ID<ContactChannel>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE contact_channels
      SET failed_at = CASE WHEN \(isSent) = 1 THEN NULL ELSE coalesce(failed_at, \(now)) END
      WHERE id = \(id)
      """)
  }

  // MARK: Messages

  /// Queues a message, whose text is written when it is sent.
  func queue(
    _ kind: ContactMailKind, by channel: ContactChannel, alert: ID<Alert>? = nil,
    round: Int? = nil, now: Instant, in writer: WriteTransaction
  ) throws {
    let offer = channel.isRemoved ? channel.offer : nil
    try writer.execute(
      """
      INSERT INTO contact_mails (mail_id, user_id, contact_id, channel_id, alert_id, round, kind,
        state, queued_at, changed_at, send_at, offer)
      VALUES (\(ID<QueuedMail>(now: now)), \(channel.person), \(channel.contact), \(channel.id),
        \(alert), \(round), \(kind.rawValue), 'waiting', \(now), \(now), \(now), \(offer))
      """)
  }

  /// Claims messages of the service whose message is due longest, oldest first, until a moment. One
  /// service that hangs keeps no other waiting for long; messages of a worker that dies become due
  /// again by themselves.
  func claim(
    until lease: Instant, limit: Int, withAlerts: Bool = true, now: Instant,
    in writer: WriteTransaction
  ) throws -> [ChannelMessage] {
    let due = try writer.values(
      """
      SELECT m.mail_id FROM contact_mails m JOIN contact_channels c ON c.id = m.channel_id
      WHERE m.send_at <= \(now) AND m.state = 'waiting'
        AND (m.kind <> 'alert' OR \(withAlerts) = 1)
        AND c.offer = (
          SELECT h.offer FROM contact_mails f JOIN contact_channels h ON h.id = f.channel_id
          WHERE f.send_at <= \(now) AND f.state = 'waiting'
            AND (f.kind <> 'alert' OR \(withAlerts) = 1)
          ORDER BY f.send_at LIMIT 1)
      ORDER BY m.send_at, m.mail_id LIMIT \(limit)
      """, as: ID<QueuedMail>.self)
    return try due.compactMap { id in
      try writer.first(
        """
        UPDATE contact_mails SET send_at = \(lease), attempts = attempts + 1
        WHERE mail_id = \(id)
        RETURNING user_id, contact_id, channel_id, alert_id, kind, attempts
        """
      ) { row in
        ChannelMessage(
          id: id, person: try row.next(), contact: try row.next(), channel: try row.next(),
          alert: try row.next(),
          kind: ContactMailKind(rawValue: try row.next()) ?? .introduction,
          attempts: try row.next())
      }
    }
  }

  /// Whether a message is due that `claim` would return.
  func hasDue(withAlerts: Bool, now: Instant, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM contact_mails m WHERE m.send_at <= \(now) AND m.state = 'waiting'
        AND (m.kind <> 'alert' OR \(withAlerts) = 1)
        AND EXISTS (SELECT 1 FROM contact_channels c WHERE c.id = m.channel_id) LIMIT 1
      """)
  }

  /// Records the end of a message; false if it was recalled meanwhile.
  @discardableResult
  func end(
    _ message: ChannelMessage, _ state: ContactMailState, error: String?, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE contact_mails SET state = \(state.rawValue), changed_at = \(now), send_at = NULL,
        error = \(error)
      WHERE mail_id = \(message.id) AND state = 'waiting'
      """) == 1
  }

  /// Records that a message was sent after it was recalled; returns the offer of a channel that was
  /// removed meanwhile.
  @discardableResult
  func noteSentAfterRecall(
    _ message: ChannelMessage, now: Instant, in writer: WriteTransaction
  ) throws -> String? {
    try writer.value(
      """
      UPDATE contact_mails SET state = 'sent', changed_at = \(now)
      WHERE mail_id = \(message.id) AND state = 'recalled' RETURNING offer
      """, as: String?.self) ?? nil
  }

  /// Gives back a message that was claimed and not tried.
  func release(_ message: ChannelMessage, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE contact_mails SET send_at = \(now), attempts = attempts - 1
      WHERE mail_id = \(message.id) AND state = 'waiting'
      """)
  }

  func postpone(
    _ message: ChannelMessage, to moment: Instant, error: String, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE contact_mails SET send_at = \(moment), error = \(error)
      WHERE mail_id = \(message.id) AND state = 'waiting'
      """)
  }

  /// The channels in use by which a contact was notified of an alert.
  func notified(
    of alert: ID<Alert>, _ contact: ID<Contact>, in reader: ReadTransaction
  ) throws -> [ContactChannel] {
    try used(for: alert, contact, in: reader).compactMap { try find($0, in: reader) }
      .filter { !$0.isRemoved }
  }

  /// All channels by which a contact was notified of an alert since it was claimed last.
  func used(
    for alert: ID<Alert>, _ contact: ID<Contact>, in reader: ReadTransaction
  ) throws -> [ID<ContactChannel>] {
    try reader.values(
      """
      SELECT DISTINCT m.channel_id FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
      WHERE m.alert_id = \(alert) AND m.contact_id = \(contact) AND m.channel_id IS NOT NULL
        AND m.kind = 'alert' AND m.state = 'sent' AND m.round >= a.first_round
      """)
  }

  private func channel(_ row: inout RowReader) throws -> ContactChannel {
    let (id, contact) = (try row.next(ID<ContactChannel>.self), try row.next(ID<Contact>.self))
    let (person, offer) = (try row.next(ID<Person>.self), try row.next(String.self))
    let sealed = try row.next([UInt8].self)
    return ContactChannel(
      id: id, contact: contact, person: person, offer: offer,
      recipient: (try? Self.recipient.open(sealed, of: id, with: keys)) ?? "",
      provenAt: try row.next(), failedAt: try row.next(), codeSentAt: try row.next(),
      isRemoved: try row.next())
  }
}

/// A message that was claimed for sending.
struct ChannelMessage: Sendable {
  let id: ID<QueuedMail>
  let person: ID<Person>
  let contact: ID<Contact>?
  let channel: ID<ContactChannel>?
  let alert: ID<Alert>?
  let kind: ContactMailKind
  /// How often it was tried, this time included.
  let attempts: Int
}
