import Core
import Database
import Foundation
import Secrets

/// The passkeys' part of the export.
enum PasskeyExport {
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let found = try PasskeyStore().all(of: person, in: reader)
    if found.isEmpty { return [] }
    return [
      try ExportedFile(
        name: "sign-in-passkeys.json",
        encoding: found.map {
          Exported(
            name: $0.name, credential: Base64URL.text($0.record.id),
            isBackedUp: $0.record.isBackedUp, createdAt: $0.createdAt.rfc3339,
            usedAt: $0.usedAt?.rfc3339)
        })
    ]
  }

  private struct Exported: Encodable {
    let name: String
    let credential: String
    let isBackedUp: Bool
    let createdAt: String
    let usedAt: String?
  }
}
