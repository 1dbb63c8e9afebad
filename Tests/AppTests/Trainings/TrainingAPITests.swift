import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("/api/v1/trainings is the list of trainings for apps")
struct TrainingAPITests {
  private let instance: TestInstance
  private let admin: TestClient

  init() throws {
    instance = try TestInstance()
    admin = try instance.admin()
  }

  private func names(_ answer: TestResponse) -> [String] {
    answer.list("trainings").compactMap { $0["name"] as? String }
  }

  @Test("Where none is published, the list is there and empty")
  func empty() throws {
    try admin.makeTraining("Draft")
    let answer = admin.call(.get, "/trainings")
    #expect(answer.status == 200 && answer.text == #"{"trainings":[]}"#)
  }

  @Test("A training is returned whole: texts, targets, durations, and URLs of cover and film")
  func whole() throws {
    let adminPage = try admin.makeTraining("Hills", stages: 2)
    admin.sendCover(adminPage)
    admin.sendVideo(adminPage)
    try #require(admin.post(adminPage, ["button": "publish"]).status == 303)
    let guest = try instance.guest("Gia")
    let training = try #require(guest.call(.get, "/trainings").list("trainings").first)
    #expect(
      Set(training.keys) == [
        "id", "name", "description", "difficulty", "duration", "cover_url", "captions_url",
        "video_url", "video_size", "stages", "updated_at",
      ])
    #expect(training["id"] as? String == adminPage.split(separator: "/").last.map(String.init))
    #expect(training["name"] as? String == "Hills")
    #expect(training["description"] as? String == "About Hills")
    #expect(training["difficulty"] as? String == "easy" && training["duration"] as? Int == 600)
    #expect(training["video_size"] as? Int == SmallFilm.mp4.count)
    let stages = try #require(training["stages"] as? [[String: Any]])
    #expect(stages.count == 2 && stages.allSatisfy { $0.count == 4 })
    #expect(stages[1]["seconds"] as? Int == 300 && stages[1]["target"] as? String == "power")
    #expect(stages[1]["value"] as? Int == 101 && stages[1]["text"] as? String == "Easy legs")
    for (name, type) in [("cover_url", "image/png"), ("video_url", "video/mp4")] {
      let url = try #require(training[name] as? String)
      let path = try #require(url.firstMatch(of: /https?:\/\/[^\/]+(\/.*)/)?.output.1)
      let file = guest.get(String(path))
      #expect(file.status == 200 && file.headers[.contentType] == type, "\(url)")
    }
  }

  @Test("Missing values are null, a target of its own too")
  func nothing() throws {
    let answer = admin.post(
      "\(TestClient.trainings)/new",
      [
        "name": "As you like", "description": "", "difficulty": "hard", "minutes_1": "1",
        "target_1": "free",
      ])
    let adminPage = try #require(answer.location)
    try #require(admin.post(adminPage, ["button": "publish"]).status == 303)
    let training = try #require(admin.call(.get, "/trainings").list("trainings").first)
    for name in ["cover_url", "video_url", "video_size"] {
      #expect(training[name] is NSNull, "\(name)")
    }
    let stage = try #require((training["stages"] as? [[String: Any]])?.first)
    #expect(stage["target"] as? String == "free" && stage["value"] is NSNull)
  }

  @Test("Drafts are returned to no one, admins included; the order is that of admins")
  func published() throws {
    let adminPages = try ["One", "Two", "Three"].map(admin.publishTraining)
    try admin.makeTraining("Draft")
    #expect(names(admin.call(.get, "/trainings")) == ["One", "Two", "Three"])
    admin.post(adminPages[2], ["move": "up"])
    admin.post(adminPages[0], ["button": "unpublish"])
    #expect(names(admin.call(.get, "/trainings")) == ["Three", "Two"])
  }

  @Test("Guests, members and apps with a token read the same; all others are refused")
  func readers() throws {
    try admin.publishTraining("Hills")
    try instance.alone("sam")
    let app = instance.client()
    try #require(app.login("sam").status == 200)
    let told = admin.call(.get, "/trainings").text
    #expect(app.get("/trainings").text == told)
    #expect(try instance.guest("Gia").call(.get, "/trainings").text == told)
    let stranger = instance.browser().call(.get, "/trainings")
    #expect(stranger.status == 401 && stranger.code == "invalid_token")
  }

  @Test("Nothing is sent twice: 304 until something that people see has changed")
  func tag() throws {
    let adminPage = try admin.publishTraining("Hills")
    func ask(_ tag: String) -> TestResponse {
      admin.call(.get, "/trainings", headers: [.ifNoneMatch: tag])
    }
    let first = admin.call(.get, "/trainings")
    var tag = try #require(first.headers[.eTag])
    #expect(first.headers[.cacheControl] == "private, no-store")
    #expect(ask(tag).status == 304 && ask(tag).text.isEmpty)
    try admin.makeTraining("Draft")
    #expect(ask(tag).status == 304)
    func differs(_ change: TestResponse) throws {
      #expect(change.status == 303)
      let after = ask(tag)
      #expect(after.status == 200 && after.headers[.eTag] != tag)
      tag = try #require(after.headers[.eTag])
    }
    try differs(admin.sendCover(adminPage))
    try differs(admin.sendVideo(adminPage))
    admin.post(adminPage, ["button": "unpublish"])
    #expect(names(ask(tag)).isEmpty && ask(tag).status == 200)
  }
}
