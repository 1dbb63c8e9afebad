import Core
import Database
import Foundation
import Templates
import Web

/// `/checkin/record`: decisions about the user, newest first, and all of it as a file.
struct RecordPages {
  /// The number of lines on a page.
  private static let size = 50
  /// The number of files of a user an hour.
  private static let files = RateLimit("record-files", maximum: 20, window: .hours(1))

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

  /// All lines with their hashes, as a file that nginx sends. Each page of lines is read in a
  /// transaction of its own: lines are only added, so they continue the chain.
  @Sendable func sendJSON(_ context: Context) throws -> Response {
    let person = try context.signedIn().id
    let database = services.site.database
    try services.limits.count(Self.files, person.description, now: context.now)
    let path = try services.recordFiles.write(for: person, ending: "json") { write in
      try ExportedRecordLine.write(write) { last in
        try database.read {
          try services.record.lines(
            of: person, after: last, limit: ExportedRecordLine.pageSize, in: $0)
        }
      }
    }
    var response = Response.protectedFile(
      path, contentType: "application/json", cacheControl: "no-store")
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

  /// The number of lines in memory at once.
  static let pageSize = 200

  /// Writes the lines of a record as a JSON array, one after the other; `page` reads up to `pageSize`
  /// lines after a number.
  static func write(
    _ write: (_ piece: [UInt8]) throws -> Void,
    reading page: (_ after: Int) throws -> [RecordLine]
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var last: Int?
    try write(Array("[\n".utf8))
    while true {
      let lines = try page(last ?? 0)
      for line in lines {
        if last != nil { try write(Array(",\n".utf8)) }
        try write(Array(try encoder.encode(ExportedRecordLine(line))))
        last = line.number
      }
      guard lines.count == pageSize else { break }
    }
    try write(Array("\n]".utf8))
  }
}
