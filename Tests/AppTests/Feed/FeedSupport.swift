import Core
import Database
import Foundation
import Testing

@testable import App

extension TestClient {
  /// Posts a text with a fresh nonce; returns the path of the post.
  @discardableResult
  func write(_ content: String, visibility: String = "public") throws -> String {
    let answer = post(
      "/posts", ["nonce": UUID().uuidString, "content": content, "visibility": visibility])
    try #require(answer.status == 303, "\(answer.status)")
    return try #require(answer.toastLink)
  }

  /// Posts a text and a small picture; returns the path of the post.
  @discardableResult
  func writeWithPicture(_ content: String, visibility: String = "public") throws -> String {
    let answer = upload(
      "/posts",
      [("nonce", UUID().uuidString), ("content", content), ("visibility", visibility)],
      files: [("images", SmallPicture.png)])
    try #require(answer.status == 303, "\(answer.text)")
    return try #require(answer.toastLink)
  }
}

extension TestInstance {
  /// Removes queued live events: the dispatcher, which tests do not run, sends them or drops them after
  /// an hour.
  func dropLiveEvents() throws {
    try database.write { try $0.execute("DELETE FROM live_news") }
  }

  /// Every file below the media folder, as a relative path.
  func mediaFiles() throws -> Set<String> {
    let folder = instance.configuration.mediaFolder
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return Set(
      files.filter {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder)
          && !isFolder.boolValue
      })
  }
}
