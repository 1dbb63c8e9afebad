import Basics
import Database
import Foundation
import Testing

@testable import App
@testable import Web
@testable import Workouts

@Suite("A disk that is full, wherever it is met")
struct DiskFullTests {
  /// Says what the child that works on pictures says when nothing more can be written.
  private static let noRoom = "echo '{\"error\":\"disk_full\"}'; exit 70"

  private func house() throws -> TestHouse { try TestHouse(pictureScript: Self.noRoom) }

  @Test("A post with a picture is 507, its words are kept, and nothing else is")
  func post() throws {
    let house = try house()
    try house.couple()
    let answer = try house.signedIn("ann").upload(
      "/posts",
      [("nonce", "1"), ("content", "Words to be kept"), ("visibility", "public")],
      files: [("images", SmallPicture.png)])
    #expect(answer.status == 507)
    #expect(answer.shows("no room left") && answer.shows("Words to be kept"))
    #expect(try house.count("SELECT count(*) FROM posts") == 0)
    #expect(try house.mediaFiles() == [])
  }

  @Test("An avatar is 507, with the page that says why")
  func avatar() throws {
    let house = try house()
    try house.couple()
    let answer = try house.signedIn("ann").upload(
      "/settings/profile", [("display_name", "Anna")], files: [("avatar", SmallPicture.png)])
    #expect(answer.status == 507 && answer.shows("no room left"))
    #expect(try house.count("SELECT count(*) FROM users WHERE display_name = 'Anna'") == 0)
    #expect(try house.mediaFiles() == [])
  }

  @Test("A training's cover is 507")
  func cover() throws {
    let house = try house()
    let admin = try house.admin()
    let answer = admin.sendCover(try admin.makeTraining("Hills"))
    #expect(answer.status == 507 && answer.shows("no room left"))
    #expect(try house.mediaFiles() == [])
  }

  @Test("What the system refuses of any file is known by its number")
  func numbers() {
    for code in [ENOSPC, EDQUOT] {
      #expect(TrainingFileFailure(description: "x", systemError: code).isFull)
      #expect(UploadFailure(path: "x", code: code).isFull)
    }
    #expect(!TrainingFileFailure(description: "x").isFull)
  }
}
