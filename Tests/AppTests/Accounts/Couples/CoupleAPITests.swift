import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("/api/v1/couples and pictures of people")
struct CoupleAPITests {
  private func path(_ instance: TestInstance) throws -> String {
    "/couples/\(try #require(try instance.couple().first?.couple).id)"
  }

  @Test("A couple shows its members and its first day to all viewers")
  func shape() throws {
    let instance = try TestInstance()
    let path = try path(instance)
    let answer = instance.browser().call(.get, path)
    #expect(answer.status == 200)
    #expect(
      Set(answer.json.keys) == [
        "id", "couple_name", "anniversary", "days_together", "status", "bio", "avatar_url",
        "follower_count", "partners",
      ])
    #expect(answer.json["couple_name"] as? String == "Ann & Ben")
    // The start date itself is day one.
    let first = LocalDay(number: 19_000)
    #expect(answer.json["anniversary"] as? String == first.description)
    let today = try #require(LocalDay("2026-03-02"))
    #expect(answer.json["days_together"] as? Int == today.days(since: first) + 1)
    #expect(answer.list("partners").map { $0["display_name"] as? String } == ["Ann", "Ben"])
    #expect(instance.browser().call(.get, "/couples/\(ID<Couple>.random())").status == 404)
    #expect(instance.browser().call(.get, "/couples/x").status == 404)
  }

  @Test("Either partner changes it; others are refused, and signed-out callers are 401")
  func whoChanges() throws {
    let instance = try TestInstance()
    let path = try path(instance)
    try instance.alone("sam")
    for name in ["ann", "ben"] {
      let changed = try instance.signedIn(name).call(.patch, path, #"{"bio":"By \#(name)"}"#)
      #expect(changed.status == 200 && changed.json["bio"] as? String == "By \(name)")
      #expect(changed.json["couple_name"] as? String == "Ann & Ben")
    }
    #expect(try instance.signedIn("sam").call(.patch, path, "{}").code == "forbidden")
    #expect(try instance.guest("Gia").call(.patch, path, "{}").status == 403)
    #expect(instance.browser().call(.patch, path, "{}").status == 401)
    #expect(try instance.signedIn("ann").get(path).shows("By ben"))
  }

  @Test("Values are validated as on the page; omitted ones are kept")
  func change() throws {
    let instance = try TestInstance()
    let path = try path(instance)
    let ann = try instance.signedIn("ann")
    let changed = ann.call(
      .patch, path, #"{"couple_name":" Two\n of us ","anniversary":"2021-05-06"}"#)
    #expect(changed.json["couple_name"] as? String == "Two  of us")
    #expect(changed.json["anniversary"] as? String == "2021-05-06")
    for (body, field) in [
      (#"{"couple_name":" "}"#, "couple_name"), (#"{"anniversary":"2099-01-01"}"#, "anniversary"),
      (#"{"anniversary":"1899-12-31"}"#, "anniversary"), (#"{"anniversary":"x"}"#, "anniversary"),
      ("{\"couple_name\":\"\(String(repeating: "n", count: 61))\"}", "couple_name"),
      ("{\"bio\":\"\(String(repeating: "b", count: 301))\"}", "bio"),
    ] {
      let answer = ann.call(.patch, path, body)
      #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == [field], "\(body)")
    }
    #expect(ann.call(.patch, path, "{}").json["anniversary"] as? String == "2021-05-06")
  }

  @Test("A frozen couple is visible to both members, who can't change it")
  func frozen() throws {
    let instance = try TestInstance()
    let path = try path(instance)
    try instance.alone("sam")
    let ann = try instance.signedIn("ann")
    try instance.database.write { try $0.execute("UPDATE couples SET status = 'frozen'") }
    let own = ann.call(.get, path)
    #expect(own.status == 200 && own.json["status"] as? String == "frozen")
    #expect(own.text.contains("\"days_together\":null"))
    #expect(ann.call(.patch, path, #"{"bio":"x"}"#).status == 403)
    let file = [(field: "file", bytes: SmallPicture.png)]
    #expect(ann.send("\(path)/avatar", method: .put, files: file).status == 403)
    #expect(try instance.signedIn("sam").call(.get, path).status == 404)
    #expect(instance.browser().call(.get, path).status == 404)
    #expect(try instance.mediaFiles() == [])
  }

  @Test("A new picture replaces the old one, whose address and files are gone")
  func avatars() throws {
    let instance = try TestInstance()
    let path = try path(instance)
    let ann = try instance.signedIn("ann")
    func put(_ path: String) throws -> String {
      let answer = ann.send(path, method: .put, files: [("file", SmallPicture.png)])
      try #require(answer.status == 200, "\(answer.text)")
      let url = try #require(answer.json["avatar_url"] as? String)
      return try #require(url.components(separatedBy: TestInstance.host).last)
    }
    for path in ["\(path)/avatar", "/account/avatar"] {
      let (first, second) = (try put(path), try put(path))
      #expect(first != second && ann.get(first).status == 404)
      #expect(instance.browser().get(second).headers[.accelRedirect] != nil)
    }
    #expect(try instance.mediaFiles().count == 4)
    #expect(ann.call(.get, path).list("partners").first?["avatar_url"] is String)
  }

  @Test("A file that is no picture is refused and keeps the old one")
  func wrongAvatars() throws {
    let instance = try TestInstance()
    let path = try path(instance)
    try instance.alone("sam")
    let (ann, sam) = (try instance.signedIn("ann"), try instance.signedIn("sam"))
    for path in ["\(path)/avatar", "/account/avatar"] {
      let words = ann.send(path, method: .put, files: [("file", Array("no picture".utf8))])
      #expect(words.status == 415 && words.code == "unsupported_format")
      #expect(Set(words.fieldErrors.keys) == ["file"])
      let broken = ann.send(
        path, method: .put, files: [("file", Array(SmallPicture.png.prefix(60)))])
      #expect(broken.status == 422 && broken.code == "not_acceptable_picture")
      #expect(ann.send(path, method: .put).fieldErrors["file"] == "This is required.")
      #expect(ann.call(.put, path, "{}").status == 415)
    }
    let file = [(field: "file", bytes: SmallPicture.png)]
    #expect(sam.send("\(path)/avatar", method: .put, files: file).status == 403)
    #expect(
      try instance.guest("Gia").send("/account/avatar", method: .put, files: file).status == 403)
    #expect(try instance.mediaFiles() == [])
    #expect(sam.send("/account/avatar", method: .put, files: file).status == 200)
  }
}

@Suite("/api/v1/couples/pair")
struct PairAPITests {
  @Test("An invitation is accepted with the token of its link, once")
  func pairing() throws {
    let instance = try TestInstance()
    for name in ["kim", "lee", "max"] { try instance.alone(name) }
    let (kim, lee, max) = (
      try instance.signedIn("kim"), try instance.signedIn("lee"), try instance.signedIn("max")
    )
    #expect(kim.call(.post, "/couples/pair", #"{"email":"lee@example.test"}"#).status == 202)
    let token = try #require(
      try instance.invitation(to: "lee").components(separatedBy: "token=").last)
    let body = #"{"token":"\#(token)"}"#
    #expect(max.call(.post, "/couples/pair/accept", body).code == "forbidden")
    #expect(instance.browser().call(.post, "/couples/pair/accept", body).status == 401)
    let accepted = lee.call(.post, "/couples/pair/accept", body)
    #expect(accepted.status == 200 && accepted.json["status"] as? String == "active")
    #expect(accepted.list("partners").map { $0["display_name"] as? String } == ["Kim", "Lee"])
    let again = lee.call(.post, "/couples/pair/accept", body)
    #expect(again.status == 410 && again.code == "link_expired")
    for token in ["", "x"] {
      let answer = lee.call(.post, "/couples/pair/accept", #"{"token":"\#(token)"}"#)
      #expect(answer.status == 410)
    }
    let taken = kim.call(.post, "/couples/pair", #"{"email":"max@example.test"}"#)
    #expect(taken.status == 409 && taken.code == "conflict")
  }

  @Test("A member of a couple can't accept another invitation")
  func taken() throws {
    let instance = try TestInstance()
    try instance.alone("kim")
    try instance.signedIn("kim").call(.post, "/couples/pair", #"{"email":"lee@example.test"}"#)
    let token = try #require(
      try instance.invitation(to: "lee").components(separatedBy: "token=").last)
    let lee = try instance.signedInWithCouple("Lee & Max", "lee", "max")
    let answer = lee.call(.post, "/couples/pair/accept", #"{"token":"\#(token)"}"#)
    #expect(answer.status == 409 && answer.code == "conflict")
  }

  @Test("The address is checked as on the page, and mails are counted")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    for address in ["", "nobody", "kim@example.test"] {
      let answer = kim.call(.post, "/couples/pair", #"{"email":"\#(address)"}"#)
      #expect(answer.status == 422 && Set(answer.fieldErrors.keys) == ["email"])
    }
    for number in 1...4 {
      let answer = kim.call(.post, "/couples/pair", #"{"email":"p\#(number)@example.test"}"#)
      #expect(answer.status == (number < 4 ? 202 : 429))
      if number == 4 { #expect(answer.headers[.retryAfter] != nil) }
    }
  }
}

@Suite("/api/v1/account/export")
struct ExportAPITests {
  @Test("An export is requested, made, and downloaded by its user only")
  func export() throws {
    let instance = try TestInstance()
    for name in ["kim", "lee"] { try instance.alone(name) }
    let (kim, lee) = (try instance.signedIn("kim"), try instance.signedIn("lee"))
    let begun = kim.call(.post, "/account/export")
    #expect(begun.status == 202)
    let path = "/account/export/\(try #require(begun.json["id"] as? String))"
    #expect(kim.call(.post, "/account/export").text == begun.text)
    let waiting = kim.call(.get, path)
    #expect(waiting.status == 200 && waiting.json["state"] as? String == "waiting")
    #expect(waiting.json["file_url"] is NSNull && kim.call(.get, "\(path)/file").status == 404)
    try instance.work()
    let ready = kim.call(.get, path)
    #expect(ready.json["state"] as? String == "ready" && ready.json["bytes"] is Int)
    let url = try #require(ready.json["file_url"] as? String)
    let target = try #require(url.components(separatedBy: TestInstance.host).last)
    let file = kim.get(target)
    #expect(file.headers[.contentType] == "application/zip")
    #expect(file.headers[.accelRedirect] != nil)
    for answer in [lee.call(.get, path), lee.get(target)] { #expect(answer.status == 404) }
    #expect(instance.browser().call(.get, path).status == 401)
  }

  @Test("Three a day, then 429")
  func limit() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    for number in 1...4 {
      #expect(kim.call(.post, "/account/export").status == (number < 4 ? 202 : 429))
      try instance.work()
    }
  }
}
