import Core
import Database
import Foundation
import Media
import PhotoMetadata

/// Invariants between rows and files.
struct AlbumDoctor: Sendable {
  /// The number of photos whose files are fetched from a bucket.
  private static let sample = 20

  let services: AlbumEnvironment

  private var media: any MediaStore { services.folders.media }

  var checks: [DoctorCheck] { [storiesAgree, picturesAreThere] }

  /// The file-related data of a photo.
  private struct StoredPhoto {
    let id: ID<Photo>
    let owner: ID<Person>
    let files: PhotoFiles
    let story: String?
    let version: Int
    let isDeleted: Bool
  }

  /// All photos; the latest ones if their files are not on this machine.
  private func all(_ reader: ReadTransaction) throws -> [StoredPhoto] {
    let order: Query = media.isLocal ? "ORDER BY id" : "ORDER BY id DESC LIMIT \(Self.sample)"
    return try reader.rows(
      """
      SELECT id, user_id, folder, original_id, format, picture_id, picture_extension, has_webp,
        story, version, deleted_at IS NOT NULL
      FROM photos \(order)
      """
    ) {
      StoredPhoto(
        id: try $0.next(), owner: try $0.next(), files: try PhotoFiles(&$0),
        story: try $0.next(), version: try $0.next(), isDeleted: try $0.next())
    }
  }

  /// Reports errors in photos' files, which are read while others write: nothing is reported of a
  /// photo that was saved or removed in the meantime.
  private func found(
    in database: Database, _ wrong: (StoredPhoto) -> [String]
  ) throws -> [String] {
    let lines = try database.read(all).map { (kept: $0, lines: wrong($0)) }
      .filter { !$0.lines.isEmpty }
    return try database.read { reader in
      try lines.filter { one in
        try reader.exists(
          "SELECT 1 FROM photos WHERE id = \(one.kept.id) AND version = \(one.kept.version)")
      }.flatMap(\.lines)
    }
  }

  /// The file takes precedence: its story belongs to the photo wherever the file goes. But a file
  /// without a story, as left by tools that remove everything but the pixels, never deletes the
  /// row's story: the row's is written into it.
  private var storiesAgree: DoctorCheck {
    DoctorCheck(
      "photo stories match the database",
      findIn: { database in
        // The story of a deleted photo is checked once it is restored.
        try found(in: database) { kept in
          if kept.isDeleted { return [] }
          return switch storyInFile(kept) {
          case .success(let story) where story == kept.story: []
          case .success(nil): ["the file of photo \(kept.id) has lost its story"]
          case .success: ["photo \(kept.id) and its file have different stories"]
          case .failure(let error): ["photo \(kept.id): \(error.code)"]
          }
        }
      },
      repairInSteps: { database in
        // Files are read without a transaction, while others write.
        let wrong = try database.read { try all($0) }.filter { !$0.isDeleted }.compactMap { kept in
          guard case .success(let story) = storyInFile(kept), story != kept.story else {
            return (kept: StoredPhoto, story: String?)?.none
          }
          return (kept: kept, story: story)
        }
        try database.writeInBatches(wrong.filter { $0.story != nil }) { one, writer in
          // Unless it was saved in the meantime.
          try writer.execute(
            """
            UPDATE photos SET story = \(one.story), version = version + 1
            WHERE id = \(one.kept.id) AND version = \(one.kept.version)
            """)
        }
        for one in wrong where one.story == nil { try restoreStory(one.kept) }
      })
  }

  /// Writes a row's story into its file, on behalf of the owner, unless it was saved in the
  /// meantime.
  private func restoreStory(_ kept: StoredPhoto) throws {
    let owner = Viewer(
      id: kept.owner, role: .guest, avatar: .init(name: "", avatar: nil), couple: nil)
    guard let text = kept.story, let photo = try services.photos.visible(kept.id, to: owner),
      photo.version == kept.version
    else { return }
    _ = try StorySaveService(services: services).save(
      PhotoStory(text), into: photo, ifVersion: kept.version, by: owner)
  }

  /// The story in a photo's file. Files that a bucket lacks are found by another check.
  private func storyInFile(_ kept: StoredPhoto) -> Result<String?, PhotoError> {
    do throws(PhotoError) {
      let reading = try media.read(kept.files.originalPath, orThrow: Self.unreadable) {
        (path) throws(PhotoError) -> PhotoReading in try PhotoFile.read(path)
      }
      if let reading { return .success(reading.story) }
      return media.isLocal ? .failure(.read(.missing)) : .success(kept.story)
    } catch {
      return .failure(error)
    }
  }

  private static func unreadable(_ error: MediaError) -> PhotoError {
    .read(.failed("\(error)"))
  }

  private var picturesAreThere: DoctorCheck {
    DoctorCheck(
      "photos have all picture files",
      findIn: { database in
        // Those that a bucket lacks are found by another check.
        guard media.isLocal else { return [] }
        return try found(in: database) { kept in
          kept.files.pictureNames.filter {
            !FileManager.default.fileExists(
              atPath: "\(services.folders.mediaFolder)/\(kept.files.path(of: $0))")
          }.map { "photo \(kept.id) has no \($0)" }
        }
      }, repairInSteps: nil)
  }
}
