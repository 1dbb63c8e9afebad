import Core
import Foundation
import Web

/// Exports all check-ins of a user: the day, the local time, the zone and whether it was sent
/// later.
enum HistoryExport {
  /// One line of the export.
  struct Line {
    let day: String
    /// "08:41:10", the local time in the zone.
    let time: String
    let timeZone: String
    let isOffline: Bool
  }

  static let csvType = "text/csv; charset=utf-8; header=present"

  /// The export as an attachment.
  static func response(
    _ bytes: [UInt8], _ ending: String, _ type: String, today: LocalDay
  ) -> Response {
    var response = Response(.ok, headers: [.contentType: type], body: bytes)
    response.headers[.contentDisposition] =
      "attachment; filename=\"pairspot-check-ins-\(today).\(ending)\""
    return response
  }

  /// RFC 4180 in UTF-8, with a header.
  static func csv(_ checkIns: [CheckIn]) -> [UInt8] {
    var text = "day,time,time_zone,offline\r\n"
    for line in lines(checkIns) {
      text += "\(line.day),\(line.time),\(field(line.timeZone)),\(line.isOffline)\r\n"
    }
    return Array(text.utf8)
  }

  /// An array of objects with the columns of the CSV.
  static func json(_ checkIns: [CheckIn]) -> [UInt8] {
    let objects = lines(checkIns).map { line in
      """
      {"day":"\(line.day)","time":"\(line.time)",\
      "time_zone":\(JSONStringWriter.quoted(line.timeZone)),"offline":\(line.isOffline)}
      """
    }
    return Array("[\(objects.joined(separator: ",\n"))]\n".utf8)
  }

  /// A text as a CSV field: quoted if necessary, and never read as a formula by a spreadsheet.
  static func field(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) }
    let safe = isFormula ?? false ? "'\(text)" : text
    let mustBeQuoted = safe.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return mustBeQuoted ? "\"\(safe.replacing("\"", with: "\"\""))\"" : safe
  }

  private static func lines(_ checkIns: [CheckIn]) -> [Line] {
    var zones: [String: TimeZone] = [:]
    return checkIns.map { checkIn in
      let zone = zones[checkIn.timeZone] ?? TimeZone(named: checkIn.timeZone) ?? .gmt
      zones[checkIn.timeZone] = zone
      return Line(
        day: checkIn.day.description, time: time(of: checkIn.tappedAt, in: zone),
        timeZone: checkIn.timeZone, isOffline: checkIn.isOffline)
    }
  }

  private static func time(of instant: Instant, in zone: TimeZone) -> String {
    let start = Int64(LocalDay(instant, in: zone).number) * 86_400
    let offset = Int64(zone.secondsFromGMT(for: instant.date))
    let seconds = instant.milliseconds / 1000 + offset - start
    return [seconds / 3600, seconds / 60 % 60, seconds % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
