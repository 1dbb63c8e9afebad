import Core
import Database
import Secrets

/// Stores the record; lines are only ever added.
struct RecordStore {
  /// Adds a line. `detail` must have no line break.
  func add(
    _ event: RecordEvent, day: LocalDay? = nil, contact: ID<Contact>? = nil, detail: String = "",
    of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    let last = try writer.first(
      """
      SELECT number, hash FROM checkin_record
      WHERE user_id = \(person) ORDER BY number DESC LIMIT 1
      """
    ) { (number: try $0.next(Int.self), hash: try $0.next([UInt8].self)) }
    let number = (last?.number ?? 0) + 1
    let hash = Digests.sha256(
      RecordLine.content(
        after: last?.hash ?? [], number: number, at: now, event: event.rawValue, day: day,
        contact: contact, detail: detail))
    try writer.execute(
      """
      INSERT INTO checkin_record (user_id, number, at, event, day, contact_id, detail, hash)
      VALUES (\(person), \(number), \(now), \(event.rawValue), \(day), \(contact), \(detail), \(hash))
      """)
  }

  /// Adds the lines of another user, who becomes this one, with their moments and new numbers.
  func append(of other: ID<Person>, to person: ID<Person>, in writer: WriteTransaction) throws {
    for line in try all(of: other, in: writer) {
      try add(
        line.event, day: line.day, contact: line.contact, detail: line.detail, of: person,
        now: line.at, in: writer)
    }
  }

  func last(of person: ID<Person>, in reader: ReadTransaction) throws -> RecordLine? {
    try page(of: person, before: .max, limit: 1, in: reader).first
  }

  /// The lines before a number, newest first.
  func page(
    of person: ID<Person>, before number: Int, limit: Int, in reader: ReadTransaction
  ) throws -> [RecordLine] {
    try reader.rows(
      """
      SELECT number, at, event, day, contact_id, detail, hash FROM checkin_record
      WHERE user_id = \(person) AND number < \(number) ORDER BY number DESC LIMIT \(limit)
      """, make: Self.line)
  }

  /// The lines after a number, oldest first.
  func lines(
    of person: ID<Person>, after number: Int, limit: Int, in reader: ReadTransaction
  ) throws -> [RecordLine] {
    try reader.rows(
      """
      SELECT number, at, event, day, contact_id, detail, hash FROM checkin_record
      WHERE user_id = \(person) AND number > \(number) ORDER BY number LIMIT \(limit)
      """, make: Self.line)
  }

  /// All lines, oldest first.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [RecordLine] {
    var lines: [RecordLine] = []
    try forEach(of: person, in: reader) { lines.append($0) }
    return lines
  }

  /// Calls `body` with each line, oldest first, without having all of them in memory.
  func forEach(
    of person: ID<Person>, in reader: ReadTransaction, _ body: (RecordLine) throws -> Void
  ) throws {
    _ = try reader.rows(
      """
      SELECT number, at, event, day, contact_id, detail, hash FROM checkin_record
      WHERE user_id = \(person) ORDER BY number
      """
    ) { row in try body(Self.line(&row)) }
  }

  /// Whether it was recorded that the alert of a silence waits for this reason.
  func hasHeld(
    _ reason: String, day: LocalDay, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM checkin_record WHERE user_id = \(person) AND event = \(RecordEvent.held.rawValue)
        AND detail = \(reason) AND day = \(day)
      """)
  }

  /// The next users with a record, by identifier.
  func people(
    after person: ID<Person>?, limit: Int, in reader: ReadTransaction
  ) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT id FROM users u WHERE id > \(person?.bytes ?? [])
        AND EXISTS (SELECT 1 FROM checkin_record r WHERE r.user_id = u.id)
      ORDER BY id LIMIT \(limit)
      """)
  }

  private static func line(_ row: inout RowReader) throws -> RecordLine {
    let (number, at) = (try row.next(Int.self), try row.next(Instant.self))
    let event = try row.next(String.self)
    guard let event = RecordEvent(rawValue: event) else {
      throw StorageError.unreadable("the event \(event) of a check-in record")
    }
    return RecordLine(
      number: number, at: at, event: event, day: try row.next(), contact: try row.next(),
      detail: try row.next(), hash: try row.next())
  }
}
