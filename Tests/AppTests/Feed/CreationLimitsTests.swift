import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("How much people may make")
struct CreationLimitsTests {
  @Test("The 31st post within an hour is 429, and its words stay")
  func posts() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for number in 1...30 { try sam.write("Post \(number)") }
    let refused = sam.post("/posts", ["content": "One too many", "visibility": "public"])
    #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
    #expect(refused.shows("One too many") && refused.shows("posted 30 times"))
    #expect(try instance.count("SELECT count(*) FROM posts") == 30)
    instance.clock.advance(seconds: 3601)
    try sam.write("One too many")
  }

  @Test("A guest's photos have a bound that the operator sets, and a member's another one")
  func photoBytes() throws {
    let instance = try TestInstance(variables: ["PAIRSPOT_GUEST_PHOTOS": "1"])
    let guest = try instance.guest("Gia")
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for browser in [guest, sam] {
      browser.upload("/album", [("nonce", "a")], files: [("file", SmallPicture.png)])
    }
    try instance.database.write { try $0.execute("UPDATE photos SET bytes = \((1 << 20) - 10)") }
    let refused = guest.upload("/album", [("nonce", "b")], files: [("file", SmallPicture.png)])
    #expect(refused.status == 422 && refused.shows("Your album is full (1 MB)"))
    #expect(
      sam.upload("/album", [("nonce", "b")], files: [("file", SmallPicture.png)]).status == 303)
    #expect(try instance.count("SELECT count(*) FROM photos") == 3)
    try instance.database.write { try $0.execute("UPDATE photos SET bytes = 100") }
    #expect(
      guest.upload("/album", [("nonce", "c")], files: [("file", SmallPicture.png)]).status == 303)
  }

  @Test("Contacts are added twenty times a day, since each is written to")
  func contacts() throws {
    let instance = try TestInstance(limits: true)
    let guest = try instance.guest("Gia")
    for number in 1...20 {
      let answer = guest.post(
        "/checkin/contacts", ["name": "", "email": "c\(number)@example.test"])
      #expect(answer.status == 303, "\(number)")
      try instance.database.write {
        try $0.execute(
          "UPDATE emergency_contacts SET removed_at = 1")
      }
    }
    let refused = guest.post("/checkin/contacts", ["name": "", "email": "c21@example.test"])
    #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
    instance.clock.advance(seconds: 86_401)
    #expect(
      guest.post("/checkin/contacts", ["name": "", "email": "c21@example.test"]).status == 303)
  }

  @Test("Posts are saved, and photos marked, 300 times in 10 minutes at most")
  func marks() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let post = "/posts/\(try sam.write("Words").suffix(36))/save"
    let photo = "/photos/\(try sam.addPhoto(isShared: false).suffix(36))/favourite"
    let calls: [(HTTPRequest.Method, String)] = [(.post, post), (.put, photo)]
    for (method, path) in calls {
      let statuses = (1...301).map { _ in sam.call(method, path).status }
      #expect(statuses.prefix(300).allSatisfy { $0 == 204 } && statuses[300] == 429, "\(path)")
      #expect(sam.call(.delete, path).status == 204)
    }
  }

  @Test("Workouts are uploaded 300 times an hour at most")
  func workouts() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let app = instance.client()
    app.login("sam")
    let statuses = (1...301).map { _ in
      app.post("/sessions/batch_upload", ["sessions": [Int]()]).status
    }
    #expect(statuses[299] != 429 && statuses[300] == 429)
  }
}
