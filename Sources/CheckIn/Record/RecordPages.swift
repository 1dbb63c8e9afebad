import Accounts
import Core
import Database
import Foundation
import Templates
import Web

/// `/checkin/record`: decisions about the user, newest first, and all of it as a file.
struct RecordPages {
  /// The number of lines on a page.
  private static let size = 50

  private let services: CheckInEnvironment
  private let page: Page<RecordView>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/record", title: "checkin_record.title", in: services.site)
  }

  /// Throws 404 for an invalid number.
  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let before = try before(context.request)
    let (lines, contacts) = try services.site.database.read { reader in
      (
        try services.record.page(
          of: viewer.id, before: before, limit: Self.size + 1, in: reader),
        try services.contacts.all(of: viewer.id, in: reader)
      )
    }
    let shown = lines.prefix(Self.size)
    let formatter = RecordFormatter(
      context: context,
      names: Dictionary(uniqueKeysWithValues: contacts.map { ($0.id, $0.shownName) }),
      offers: services.channelOffers)
    let view = RecordView(
      lines: shown.map { RecordLineView($0, formatter) },
      older: lines.count > Self.size
        ? shown.last.map { CheckInLinks.record(before: $0.number) } : nil)
    return page.response(view, context)
  }

  private func before(_ request: Request) throws -> Int {
    guard let text = request.queryValue("before") else { return .max }
    guard let number = Int(text, in: 1 ... .max) else { throw Problem.notFound }
    return number
  }

  /// All lines with their hashes, as a file.
  @Sendable func sendJSON(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let json = try services.site.database.read {
      try ExportedRecordLine.json(of: viewer.id, in: services.record, $0)
    }
    var response = Response.json(json)
    let today = context.today
    response.headers[.contentDisposition] =
      "attachment; filename=\"pairspot-check-in-record-\(today).json\""
    return response
  }
}

/// A line as it is exported: with what its hash is made of.
struct ExportedRecordLine: Encodable {
  let number: Int
  let at: String
  let atMilliseconds: Int64
  let event: String
  let day: String?
  let contact: String?
  let detail: String
  let hash: String

  init(_ line: RecordLine) {
    number = line.number
    at = line.at.rfc3339
    atMilliseconds = line.at.milliseconds
    event = line.event.rawValue
    day = line.day?.description
    contact = line.contact?.description
    detail = line.detail
    hash = Hex.text(line.hash)
  }

  /// A user's lines as a JSON array.
  static func json(
    of person: ID<Person>, in store: RecordStore, _ reader: ReadTransaction
  ) throws -> [UInt8] {
    var json: [UInt8] = []
    try write(of: person, in: store, reader) { json += $0 }
    return json
  }

  /// Passes on the same line by line, each encoded as it is read.
  static func write(
    of person: ID<Person>, in store: RecordStore, _ reader: ReadTransaction,
    _ write: (_ piece: [UInt8]) throws -> Void
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    try write(Array("[\n".utf8))
    var isFirst = true
    try store.forEach(of: person, in: reader) { line in
      if !isFirst { try write(Array(",\n".utf8)) }
      isFirst = false
      try write(Array(try encoder.encode(ExportedRecordLine(line))))
    }
    try write(Array("\n]".utf8))
  }
}
