import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Likes")
struct LikeTests {
  @Test("Liking twice counts once, and taking it back twice is no error either")
  func twice() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    for _ in 1...2 { #expect(ann.post("\(post)/like").location == post) }
    #expect(try instance.count("SELECT like_count FROM posts") == 1)
    for _ in 1...2 { #expect(ann.post("\(post)/unlike").location == post) }
    #expect(try instance.count("SELECT like_count FROM posts") == 0)
  }

  @Test("A script gets the new count")
  func json() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    let answer = ann.post("\(post)/like", headers: [.accept: "application/json"])
    #expect(answer.status == 200 && answer.text == "{\"liked\":true,\"like_count\":1}")
  }

  @Test("An invisible post can't be liked; a signed-out visitor is sent to sign in")
  func forbidden() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let ann = try instance.signedIn("ann")
    let (open, hidden) = (try ann.write("All"), try ann.write("Ours", visibility: "couple"))
    #expect(try instance.signedIn("sam").post("\(hidden)/like").status == 404)
    let visitor = instance.browser()
    #expect(visitor.post("\(open)/like").location?.hasPrefix("/sign-in") == true)
    let refused = visitor.post("\(open)/like", headers: [.accept: "application/json"])
    #expect(refused.status == 401 && !refused.shows("problem."))
    #expect(try instance.count("SELECT count(*) FROM likes") == 0)
  }

  @Test("Likes of many at once are all counted, those of one person once")
  func concurrent() throws {
    let instance = try TestInstance()
    try instance.couple()
    let post = try instance.signedIn("ann").write("Words")
    let people = try (1...4).map { number -> TestClient in
      try instance.alone("p\(number)")
      return try instance.signedIn("p\(number)")
    }
    let taps = people.flatMap { person in
      (1...4).map { _ in
        let tap = person.copy()
        tap.get(post)
        return ParallelClient(tap)
      }
    }
    DispatchQueue.concurrentPerform(iterations: taps.count) { taps[$0].post("\(post)/like") }
    #expect(taps.allSatisfy { $0.status == 303 })
    #expect(try instance.count("SELECT like_count FROM posts") == 4)
    #expect(try instance.count("SELECT count(*) FROM likes") == 4)
  }
}

/// A browser that sends one form on a thread of its own.
// Each is used by one thread at a time: the sending one, and after all have ended the test.
final class ParallelClient: @unchecked Sendable {
  private let browser: TestClient
  private(set) var answer: TestResponse?

  init(_ browser: TestClient) {
    self.browser = browser
  }

  var status: Int? { answer?.status }

  func post(_ target: String, _ fields: KeyValuePairs<String, String> = [:]) {
    answer = browser.post(target, fields)
  }

  func upload(_ target: String, _ fields: [(String, String)], _ bytes: [UInt8]) {
    answer = browser.upload(target, fields, files: [("images", bytes)])
  }
}
