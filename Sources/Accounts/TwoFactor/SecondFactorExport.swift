import Core
import Database
import Foundation

/// The second factor's part of the export.
enum SecondFactorExport {
  /// The export's file: whether a second factor is on and since when, without secrets and codes.
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let since = try reader.first(
      """
      SELECT confirmed_at FROM totp_secrets WHERE user_id = \(person) AND confirmed_at IS NOT NULL
      """
    ) { try $0.next(Instant.self).rfc3339 }
    guard let since else { return [] }
    let left = try reader.count(
      "SELECT count(*) FROM recovery_codes WHERE user_id = \(person) AND used_at IS NULL")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let json = try encoder.encode(Exported(turnedOnAt: since, recoveryCodesLeft: left))
    return [ExportedFile(name: "second-factor.json", json: Array(json))]
  }

  private struct Exported: Encodable {
    let turnedOnAt: String
    let recoveryCodesLeft: Int
  }
}
