import Core
import Database
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("The stream of new posts")
struct FeedStreamTests {
  /// The channels of queued events, named by whose they are.
  private func notified(in instance: TestInstance) throws -> Set<String> {
    try instance.database.write { writer in
      let channels = try writer.rows("DELETE FROM live_news RETURNING channel") {
        try $0.next(String.self)
      }
      return try Set(
        channels.map { channel in
          let id = channel.split(separator: ".").dropFirst().first.flatMap {
            ID<Person>(String($0))
          }
          return try id.flatMap {
            try writer.value("SELECT display_name FROM users WHERE id = \($0)", as: String.self)
          } ?? channel
        })
    }
  }

  private func couple(of browser: TestClient) throws -> String {
    let id = try #require(browser.call(.get, "/account").json["couple_id"] as? String)
    return "/couples/\(id)"
  }

  @Test("A post notifies all, the followers or the two; blocked followers hear nothing")
  func audiences() throws {
    let instance = try TestInstance()
    try instance.couple()
    for name in ["sam", "kim", "lee"] { try instance.alone(name) }
    let ann = try instance.signedIn("ann")
    let ours = try couple(of: ann)
    for name in ["sam", "kim"] { try instance.signedIn(name).post("\(ours)/follow") }
    let kim = try couple(of: instance.signedIn("kim"))
    ann.post("\(kim)/block")
    _ = try notified(in: instance)
    try ann.write("For all")
    #expect(try notified(in: instance) == ["feed"])
    try ann.write("Ours", visibility: "couple")
    #expect(try notified(in: instance) == ["Ann", "Ben"])
    try ann.write("For followers", visibility: "followers")
    #expect(try notified(in: instance) == ["Ann", "Ben", "Sam"])
  }

  @Test("A user hears of public posts and of those for them, and nothing of others'")
  func stream() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let id = try instance.database.read {
      try $0.value("SELECT id FROM users WHERE display_name = 'Sam'", as: ID<Person>.self)
    }
    let target = "/api/v1/posts/events"
    let stream = sam.send(.get, target, headers: [.accept: "text/event-stream"])
    #expect(stream.headers[.accelRedirect] == "/live/feed/feed.\(try #require(id))")
    #expect(sam.get(target).text.hasPrefix("event: posts\ndata: {\"version\":"))
    let stranger = instance.browser().send(
      .get, target, headers: [.accept: "text/event-stream"])
    #expect(stranger.status == 401 && stranger.headers[.accelRedirect] == nil)
  }
}
