import Accounts
import Core
import Foundation
import Testing

@testable import App

extension TestClient {
  /// Posts words with a nonce of their own; answers the path of the post.
  @discardableResult
  func write(_ content: String, visibility: String = "public") throws -> String {
    let answer = post(
      "/posts", ["nonce": UUID().uuidString, "content": content, "visibility": visibility])
    try #require(answer.status == 303, "\(answer.status)")
    return try #require(answer.location)
  }

  /// Posts words and a small picture; answers the path of the post.
  @discardableResult
  func writeWithPicture(_ content: String, visibility: String = "public") throws -> String {
    let answer = upload(
      "/posts",
      [("nonce", UUID().uuidString), ("content", content), ("visibility", visibility)],
      files: [("images", SmallPicture.png)])
    try #require(answer.status == 303, "\(answer.text)")
    return try #require(answer.location)
  }
}

extension TestInstance {
  func count(_ sql: String) throws -> Int { try database.read { try $0.count(sql) } }

  /// Every file below the media folder, with its path from there.
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
