import Core
import Database
import Media

/// The bucket of media: whether it can be used, and has all files that rows reference.
struct BucketDoctor: Sendable {
  static let accessCheck = "the bucket can be written, read and emptied"
  static let filesCheck = "every file in the database is in the bucket"

  let media: any MediaStore

  var checks: [DoctorCheck] {
    [
      DoctorCheck(Self.accessCheck, findIn: { _ in try checkAccess() }, repairInSteps: nil),
      DoctorCheck(Self.filesCheck, findIn: { try missing($0) }, repairInSteps: nil),
    ]
  }

  /// Writes, reads and deletes a small file. Throws what the bucket says.
  private func checkAccess() throws -> [String] {
    let path = "drafts/doctor/\(ID<BucketDoctor>.random())"
    let bytes = Array("PairSpot".utf8)
    try media.put(bytes, as: path)
    let isRead = try media.get(path, limit: 1024) == bytes
    try media.delete([path])
    guard try media.size(of: path) == nil else { return ["a deleted file is still there"] }
    return isRead ? [] : ["it gives back something else than was written"]
  }

  private func missing(_ database: Database) throws -> [String] {
    var missing = try database.read(referenced)
    for folder in Configuration.mediaFolders {
      var mark: String?
      repeat {
        let page = try media.page(below: folder, after: mark)
        for file in page.files { missing.remove(file.path) }
        mark = page.next
      } while mark != nil
    }
    if missing.isEmpty { return [] }
    // Files that were stored or deleted in between: those are there, these are referenced no more.
    return try missing.intersection(database.read(referenced)).sorted()
      .filter { try media.size(of: $0) == nil }.map { "\($0) is missing" }
  }

  private func referenced(_ reader: ReadTransaction) throws -> Set<String> {
    try BackupCommands.namedFiles.reduce(into: Set<String>()) { try $0.formUnion($1.find(reader)) }
  }
}
