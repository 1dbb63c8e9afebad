import Core
import Foundation
import PhotoMetadata
import Testing

@testable import Album
@testable import App

extension TestClient {
  /// Sends photos to the album with a fresh nonce.
  @discardableResult
  func add(
    _ photos: [UInt8]..., isShared: Bool = false, keepsDate: Bool = false,
    nonce: String = UUID().uuidString
  ) -> TestResponse {
    var fields = [("nonce", nonce)]
    if isShared { fields.append(("shared", "1")) }
    if keepsDate { fields.append(("keep_date", "1")) }
    return upload("/album", fields, files: photos.map { ("file", $0) })
  }

  /// Paths of the photos in the album, newest first.
  func album(_ page: String = "/album") -> [String] {
    get(page).text.matches(of: /<a href="(\/album\/[0-9a-f-]{36})">/).map { String($0.output.1) }
  }

  /// Adds a small photo to the album; returns its path.
  func addPhoto(isShared: Bool = false) throws -> String {
    let before = Set(album())
    let answer = add(SmallPicture.png, isShared: isShared)
    try #require(answer.status == 303, "\(answer.text)")
    // Not simply the first one: a test makes many at the same time.
    return try #require(album().first { !before.contains($0) })
  }
}

extension DiskReserve {
  /// A disk with only its reserve left.
  static let nearlyFull = DiskReserve { _ in Usage(total: 100 << 30, free: 256 << 20) }
}

/// Generated photos.
enum SmallPhoto {
  /// The small picture with a story under our mark.
  static func png(story: String) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory
    let (plain, withStory) = (
      folder.appending(path: "plain-\(UUID())"), folder.appending(path: "told-\(UUID())")
    )
    defer { for file in [plain, withStory] { try? FileManager.default.removeItem(at: file) } }
    try Data(SmallPicture.png).write(to: plain)
    try PhotoFile.write(PhotoStory(story), into: plain.path, as: withStory.path)
    return Array(try Data(contentsOf: withStory))
  }
}

extension PhotoFolders {
  /// The path of a photo's own file on this machine.
  func original(_ files: PhotoFiles) -> String { "\(mediaFolder)/\(files.originalPath)" }

  /// The path of a folder on this machine.
  func path(of folder: ID<Person>) -> String { "\(mediaFolder)/\(Self.path(of: folder))" }
}

extension TestInstance {
  /// Photo files on disk.
  func photoFiles() throws -> Set<String> {
    try mediaFiles().filter { $0.hasPrefix("photos/") }
  }

  /// Texts in the only file of the album.
  func onlyPhoto() throws -> PhotoReading {
    let files = try photoFiles().filter { $0.contains("/photo_") }
    let file = try #require(files.first)
    try #require(files.count == 1)
    return try PhotoFile.read("\(instance.configuration.mediaFolder)/\(file)")
  }
}
