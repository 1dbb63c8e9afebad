import Core
import Database
import Foundation
import Testing

@testable import App
@testable import Web

@Suite("A disk that is full, wherever it is met")
struct DiskFullTests {
  /// Output of the picture child process on a full disk.
  private static let noRoom = "echo '{\"error\":\"disk_full\"}'; exit 70"

  private func instance() throws -> TestInstance { try TestInstance(pictureScript: Self.noRoom) }

  @Test("A post with a picture is 507, its words are kept, and nothing else is")
  func post() throws {
    let instance = try instance()
    try instance.couple()
    let answer = try instance.signedIn("ann").upload(
      "/posts",
      [("nonce", "1"), ("content", "Words to be kept"), ("visibility", "public")],
      files: [("images", SmallPicture.png)])
    #expect(answer.status == 507)
    #expect(answer.shows("The server is out of storage") && answer.shows("Words to be kept"))
    #expect(try instance.count("SELECT count(*) FROM posts") == 0)
    #expect(try instance.mediaFiles() == [])
  }

  @Test("An avatar is 507, with the page that says why")
  func avatar() throws {
    let instance = try instance()
    try instance.couple()
    let answer = try instance.signedIn("ann").upload(
      "/settings/profile", [("display_name", "Anna")], files: [("avatar", SmallPicture.png)])
    #expect(answer.status == 507 && answer.shows("The server is out of storage"))
    #expect(try instance.count("SELECT count(*) FROM users WHERE display_name = 'Anna'") == 0)
    #expect(try instance.mediaFiles() == [])
  }

  @Test("A training's cover is 507")
  func cover() throws {
    let instance = try instance()
    let admin = try instance.admin()
    let answer = admin.sendCover(try admin.makeTraining("Hills"))
    #expect(answer.status == 507 && answer.shows("The server is out of storage"))
    #expect(try instance.mediaFiles() == [])
  }

  @Test("A refused write to a file is recognised by its error number")
  func numbers() {
    for code in [ENOSPC, EDQUOT] {
      #expect(FileOperationError(description: "x", systemError: code).isFull)
      #expect(UploadError(path: "x", code: code).isFull)
    }
    #expect(!FileOperationError(description: "x").isFull)
  }
}
