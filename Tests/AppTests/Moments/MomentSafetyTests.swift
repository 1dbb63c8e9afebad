import Core
import Database
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Moments are reported, answered and kept by the rules")
struct MomentSafetyTests {
  private let scenario: MessageScenario
  private var instance: TestInstance { scenario.instance }
  private var ann: TestClient { scenario.ann }
  private var cy: TestClient { scenario.cy }

  init() throws {
    scenario = try MessageScenario()
    try #require(cy.post("/couples/\(ann.coupleID())/follow").status == 303)
  }

  private func work(after seconds: Int64) throws {
    instance.clock.advance(seconds: seconds)
    try instance.work()
  }

  private func count() throws -> Int { try instance.count("SELECT count(*) FROM moments") }

  @Test("A reported moment stays for moderators until they have decided, and for no one else")
  func report() throws {
    let moment = try ann.share("Snow")
    #expect(ann.report(moment).status == 422)
    #expect(scenario.sam.report(moment).status == 404)
    #expect(cy.report(moment).status == 303)
    try work(after: 90_000)
    #expect(cy.get(moment).status == 404 && ann.get(moment).status == 404)
    let moderator = try instance.moderator()
    let waiting = try instance.onlyCase(moderator)
    let page = moderator.get(waiting)
    let file = try #require(page.pictures.first { $0.contains("/moments/") })
    #expect(page.shows("Snow") && moderator.get(file).status == 200)
    #expect(cy.get(file).status == 404)
    #expect(moderator.decide(waiting, "dismiss").status == 303)
    try work(after: 90_000)
    #expect(try count() == 0)
    #expect(try instance.mediaFiles().allSatisfy { !$0.hasPrefix("moments/") })
  }

  @Test("A partner's moment can be reported; there is no other couple to block")
  func partner() throws {
    let moment = try ann.share("Ours", audience: "couple")
    let ben = scenario.ben
    #expect(ben.get(moment).shows("\(moment)/report"))
    #expect(!ann.get(moment).shows("\(moment)/report"))
    let page = ben.get("\(moment)/report")
    #expect(page.status == 200 && page.shows("your partner may guess"))
    #expect(!page.shows("name=\"block\"") && ann.get("\(moment)/report").status == 422)
    #expect(
      ben.post("\(moment)/report", ["reason": "harassment", "note": "", "block": "1"]).status
        == 303)
    let moderator = try instance.moderator()
    let waiting = try instance.onlyCase(moderator)
    #expect(moderator.get(waiting).shows("Ours"))
    #expect(moderator.decide(waiting, "hide").status == 303)
    #expect(ann.get(moment).status == 200 && ben.get(moment).status == 404)
    #expect(try ben.circles().isEmpty && ann.circles() == [ann.coupleID()])
    #expect(try instance.count("SELECT count(*) FROM blocks") == 0)
  }

  @Test("A partner's moment for followers is reported without a hint that only the two see it")
  func partnerForFollowers() throws {
    let page = scenario.ben.get("\(try ann.share("Snow"))/report")
    #expect(page.status == 200 && !page.shows("your partner may guess"))
    #expect(!page.shows("name=\"block\""))
  }

  @Test("A hidden moment is seen by its author, a removed one by no one; both go after 30 days")
  func decisions() throws {
    let moderator = try instance.moderator()
    for (decision, own) in [("hide", 200), ("remove", 404)] {
      let moment = try ann.share(decision)
      try #require(cy.report(moment).status == 303)
      let waiting = try instance.onlyCase(moderator)
      try #require(moderator.decide(waiting, decision).status == 303)
      #expect(cy.get(moment).status == 404, "\(decision)")
      #expect(ann.get(moment).status == own, "\(decision)")
      #expect(scenario.ben.get(moment).status == 404, "\(decision)")
    }
    try work(after: 2 * 86_400)
    #expect(try count() == 2)
    try work(after: 30 * 86_400)
    #expect(try count() == 0)
  }

  @Test("A withdrawn report, and one of a moment that was deleted, let it go in time")
  func withdrawn() throws {
    let moment = try ann.share("Snow")
    try #require(cy.report(moment).status == 303)
    #expect(ann.post("\(moment)/delete").status == 303)
    try instance.work()
    #expect(try count() == 1)
    #expect(cy.get(moment).status == 404 && ann.get(moment).status == 404)
    cy.post(try #require(cy.get("/settings/reports").undo))
    try work(after: 120)
    #expect(try count() == 0)
  }

  @Test("A report that is withdrawn after a dismissal lets the moment go in time")
  func withdrawnLater() throws {
    let moment = try ann.share("Snow")
    try #require(cy.report(moment).status == 303)
    let moderator = try instance.moderator()
    let waiting = try instance.onlyCase(moderator)
    try #require(moderator.decide(waiting, "dismiss", note: "").status == 303)
    instance.clock.advance(seconds: 60)
    try #require(cy.report(moment).status == 303)
    cy.post(try #require(cy.get("/settings/reports").undo))
    try work(after: 2 * 86_400)
    #expect(try count() == 0)
  }

  @Test("A decision that is taken back keeps the moment until the next one")
  func takenBack() throws {
    let moment = try ann.share("Snow")
    try #require(cy.report(moment).status == 303)
    let moderator = try instance.moderator()
    let waiting = try instance.onlyCase(moderator)
    try #require(moderator.decide(waiting, "dismiss", note: "").status == 303)
    try #require(moderator.post(try #require(moderator.get(waiting).undo)).status == 303)
    try work(after: 3 * 86_400)
    #expect(try count() == 1)
    #expect(try instance.moderator("bo").decide(waiting, "dismiss", note: "").status == 303)
    try work(after: 2 * 86_400)
    #expect(try count() == 0)
  }

  @Test("An appeal keeps the moment until it is decided")
  func appealed() throws {
    let moment = try ann.share("Snow")
    try #require(cy.report(moment).status == 303)
    let moderator = try instance.moderator()
    let waiting = try instance.onlyCase(moderator)
    try #require(moderator.decide(waiting, "remove").status == 303)
    let appeal = try #require(
      ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    try #require(ann.post(appeal, ["words": "It is a joke"]).status == 303)
    try work(after: 40 * 86_400)
    #expect(try count() == 1)
    #expect(try instance.moderator("bo").decide(waiting, "remove").status == 303)
    try work(after: 31 * 86_400)
    #expect(try count() == 0)
  }

  @Test("A moment of an author who was suspended while it was converted is not published")
  func suspendedMeanwhile() throws {
    let file = instance.folder.appending(path: "snow.png")
    try Data(SmallPicture.png).write(to: file)
    let person = try instance.person("Ann")
    // As the request has read it at its beginning.
    let viewer = Viewer(
      id: person, role: .member, avatar: Viewer.Avatar(name: "Ann", avatar: nil), couple: nil)
    let now = instance.clock.now()
    func publish() throws {
      try instance.instance.features.moments.add(file.path, words: "Snow", by: viewer, at: now)
    }
    func suspend(until end: Instant) throws {
      try instance.database.write {
        try $0.execute("UPDATE users SET suspended_until = \(end) WHERE id = \(person)")
      }
    }
    try suspend(until: now.adding(seconds: 60))
    #expect(throws: Problem.self) { try publish() }
    #expect(try count() == 0)
    #expect(try instance.mediaFiles().allSatisfy { !$0.hasPrefix("moments/") })
    try suspend(until: now)
    try publish()
    #expect(try count() == 1)
  }

  @Test(
    "An answer is a message that says so; to a couple that does not follow back it is a request")
  func answers() throws {
    let moment = try ann.share("Snow")
    let answer = cy.post("\(moment)/answer", ["client_id": "c1", "text": "Where is that?"])
    let conversation = try #require(answer.location, "\(answer.text)")
    let id = String(conversation.prefix { $0 != "#" }.suffix(36))
    #expect(cy.conversation(id)["state"] as? String == "requested")
    let message = try #require(
      ann.call(.get, "/conversations/\(id)/messages").list("messages").first)
    #expect(message["text"] as? String == "Where is that?")
    #expect(message["answers_moment"] as? Bool == true)
    #expect(ann.get("/messages/\(id)").shows("data-testid=\"moment-answer\""))
    // A second one has to wait, and links are refused.
    #expect(cy.post("\(moment)/answer", ["client_id": "c2", "text": "Hm?"]).status == 409)
    let own = scenario.ben.post("\(moment)/answer", ["client_id": "b", "text": "Lovely"])
    #expect(own.location?.contains(try ann.coupleID()) == true)
    #expect(ann.post("\(moment)/answer", ["client_id": "a", "text": "Me"]).status == 403)
    #expect(cy.post("\(moment)/answer", ["client_id": "c3", "text": ""]).status >= 400)
  }

  @Test("The API answers a moment once for each client's identifier, and keeps to the same rules")
  func answerCall() throws {
    let moment = try ann.share("Snow")
    let call = "/moments/\(moment.suffix(36))/answers"
    let body = #"{"client_id":"b","text":"Lovely"}"#
    for _ in 0..<2 {
      let sent = scenario.ben.call(.post, call, body)
      #expect(sent.status == 201, "\(sent.text)")
      #expect(try sent.json["conversation_id"] as? String == ann.coupleID())
    }
    #expect(try scenario.ben.messages(of: ann.coupleID()) == ["Lovely"])
    #expect(ann.call(.post, call, body).status == 403)
    #expect(scenario.sam.call(.post, call, body).status == 404)
    #expect(scenario.ben.call(.post, call, #"{"client_id":"c","text":""}"#).status == 422)
  }

  @Test("A kept picture is in the album once, and stays there after the moment is over")
  func keep() throws {
    let moment = try ann.share("Snow")
    for _ in 0..<2 { #expect(ann.post("\(moment)/keep").status == 303) }
    #expect(cy.post("\(moment)/keep").status == 404)
    #expect(try instance.count("SELECT count(*) FROM photos") == 1)
    try work(after: 90_000)
    #expect(try count() == 0)
    #expect(try instance.count("SELECT count(*) FROM photos") == 1)
    #expect(scenario.ben.get("/album").pictures.contains { $0.contains("/photos/") })
  }

  @Test("A kept picture deleted from the album is restored, or added again once it is gone")
  func keepAgain() throws {
    let moment = try ann.share("Snow")
    func keep() -> TestResponse { ann.call(.post, "/moments/\(moment.suffix(36))/keep") }
    let added = keep()
    #expect(added.status == 201 && added.json["outcome"] as? String == "added")
    let photo = "/album/\(try #require(added.json["photo_id"] as? String))"
    let present = keep()
    #expect(present.status == 200 && present.json["outcome"] as? String == "present")
    #expect(ann.post("\(moment)/keep").status == 303)
    #expect(ann.get(moment).shows("in your album already"))
    #expect(ann.post("\(photo)/delete").status == 303)
    #expect(ann.post("\(moment)/keep").status == 303)
    #expect(ann.get(moment).shows("back in your album"))
    #expect(ann.album() == [photo])
    ann.post("\(photo)/delete")
    #expect(ann.post("\(photo)/erase").status == 303)
    let again = keep()
    #expect(again.status == 201 && again.json["outcome"] as? String == "added")
    let fresh = try #require(again.json["photo_id"] as? String)
    #expect(ann.album() == ["/album/\(fresh)"])
    #expect(cy.call(.post, "/moments/\(moment.suffix(36))/keep").status == 404)
  }

  @Test("A film is saved by its author alone, and by no one when it is over")
  func saveFilm() throws {
    let moment = try ann.share("Snow")
    #expect(ann.get("\(moment)/film").status == 404)
    #expect(!ann.get(moment).shows("\(moment)/film"))
    try instance.database.write {
      try $0.execute("UPDATE moments SET extension = 'mp4', milliseconds = 1000")
    }
    #expect(ann.get(moment).shows("\(moment)/film"))
    let file = ann.get("\(moment)/film")
    #expect(file.status == 200 && file.headers[.contentType] == "video/mp4")
    #expect(file.headers[.contentDisposition]?.hasPrefix("attachment; ") == true)
    #expect(file.headers[.accelRedirect]?.contains("/film_") == true)
    for browser in [scenario.ben, cy] {
      #expect(!browser.get(moment).shows("\(moment)/film"))
      #expect(browser.get("\(moment)/film").status == 404)
    }
    #expect(ann.call(.post, "/moments/\(moment.suffix(36))/keep").status == 422)
    #expect(try instance.count("SELECT count(*) FROM photos") == 0)
    instance.clock.advance(seconds: 86_400)
    #expect(ann.get("\(moment)/film").status == 404)
  }
}
