import Core
import Database
import Foundation

/// The second factor's part of the export.
enum SecondFactorExport {
  /// The export's file: whether a second factor is on and since when, without secrets and codes.
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    guard let since = try SecondFactorStore.turnedOnAt(person, in: reader) else { return [] }
    let left = try SecondFactorStore.codesLeft(of: person, in: reader)
    return [
      try ExportedFile(
        name: "second-factor.json",
        encoding: Exported(turnedOnAt: since.rfc3339, recoveryCodesLeft: left))
    ]
  }

  private struct Exported: Encodable {
    let turnedOnAt: String
    let recoveryCodesLeft: Int
  }
}
