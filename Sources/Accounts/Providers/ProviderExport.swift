import Core
import Database
import Foundation
import Secrets

/// The linked identities' part of the export.
enum ProviderExport {
  static func export(
    _ person: ID<Person>, with keys: KeyRing, from reader: ReadTransaction
  ) throws -> [ExportedFile] {
    let found = try ProviderIdentityStore(keys: keys).subjects(of: person, in: reader)
    if found.isEmpty { return [] }
    return [
      try ExportedFile(
        name: "sign-in-providers.json",
        encoding: found.map {
          Exported(
            issuer: $0.subject.issuer, subject: $0.subject.subject, linkedAt: $0.linkedAt.rfc3339,
            usedAt: $0.usedAt?.rfc3339)
        })
    ]
  }

  private struct Exported: Encodable {
    let issuer: String
    let subject: String
    let linkedAt: String
    let usedAt: String?
  }
}
