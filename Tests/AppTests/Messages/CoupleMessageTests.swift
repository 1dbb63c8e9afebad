import Core
import Database
import Foundation
import Testing

@testable import App

@Suite("Messages between couples")
struct CoupleMessageTests {
  private func way(_ client: TestClient, to couple: String) -> String? {
    client.call(.get, "/couples/\(couple)/conversation").json["way"] as? String
  }

  @Test("Couples that follow each other write at once; both of each read and write")
  func open() throws {
    let scenario = try MessageScenario()
    #expect(way(scenario.ann, to: try scenario.cy.coupleID()) == "request")
    let id = try scenario.talking()
    #expect(way(scenario.ann, to: try scenario.cy.coupleID()) == "open")
    for client in [scenario.ben, scenario.cy, scenario.di] {
      #expect(client.messages(of: id) == ["Hello"])
      #expect(client.conversation(id)["may_write"] as? Bool == true)
    }
    #expect(scenario.di.message("Hi", to: id).status == 201)
    #expect(scenario.ann.messages(of: id) == ["Hi", "Hello"])
    #expect(scenario.cy.conversation(id)["title"] as? String == "Ann & Ben")
    #expect(scenario.sam.call(.get, "/conversations/\(id)").status == 404)
    // That of the two is on top, and the next page has the others.
    let page = scenario.ben.call(.get, "/conversations?limit=1")
    #expect(page.list("conversations").first?["kind"] as? String == "pair")
    let cursor = try #require(page.json["next_cursor"] as? String)
    let others = scenario.ben.call(.get, "/conversations?limit=1&cursor=\(cursor)")
    #expect(others.list("conversations").map { $0["id"] as? String } == [id])
    // A second message to the couple goes into the same conversation.
    #expect(try scenario.ben.writeTo(scenario.cy.coupleID(), "Again").status == 201)
    #expect(try scenario.instance.count("SELECT count(*) FROM conversations") == 1)
  }

  @Test("Others ask with one message without links and pictures, until it is accepted")
  func request() throws {
    let scenario = try MessageScenario()
    let couple = try scenario.cy.coupleID()
    #expect(try scenario.ann.writeTo(couple, "See https://a.test").fieldErrors["text"] != nil)
    #expect(try scenario.ann.writeTo(couple, "Shall we walk?").status == 201)
    #expect(try scenario.ben.writeTo(couple, "Please").status == 409)
    let id = try #require(scenario.cy.conversations().first { $0 != couple })
    #expect(scenario.ann.message("More", to: id).status == 403)
    let seen = scenario.cy.conversation(id)
    #expect(seen["state"] as? String == "requested" && seen["may_answer"] as? Bool == true)
    #expect(scenario.ann.conversation(id)["own_request"] as? Bool == true)
    #expect(scenario.ann.call(.post, "/conversations/\(id)/accept").status == 409)
    #expect(scenario.di.call(.post, "/conversations/\(id)/accept").status == 204)
    #expect(scenario.ann.message("See https://a.test", to: id).status == 201)
  }

  @Test("A repeated request is stored once; its identifier serves for no other couple")
  func once() throws {
    let scenario = try MessageScenario()
    let couple = try scenario.cy.coupleID()
    let first = try scenario.sam.writeTo(couple, "Hello", client: "a-1")
    let again = try scenario.sam.writeTo(couple, "Hello", client: "a-1")
    #expect(first.status == 201 && again.status == 201)
    #expect(first.json["id"] as? String == again.json["id"] as? String)
    #expect(try scenario.sam.writeTo(scenario.ann.coupleID(), "Hello", client: "a-1").status == 409)
    #expect(try scenario.instance.count("SELECT count(*) FROM messages") == 1)
  }

  @Test("An answer accepts a request; a declined one still waits for who asked")
  func answers() throws {
    let scenario = try MessageScenario()
    let couple = try scenario.cy.coupleID()
    try scenario.ann.writeTo(couple, "Shall we walk?")
    let id = try #require(scenario.cy.conversations().first { $0 != couple })
    // Who asked sees neither that the request was read nor that it was declined.
    let version = scenario.ann.conversation(id)["version"] as? Int
    scenario.cy.call(.put, "/conversations/\(id)/read", "{}")
    scenario.cy.call(.put, "/conversations/\(id)/writing")
    #expect(scenario.cy.call(.post, "/conversations/\(id)/decline").status == 204)
    #expect(scenario.ann.conversation(id)["version"] as? Int == version)
    #expect(scenario.ann.call(.get, "/conversations/\(id)/messages").list("reads").isEmpty)
    #expect(try scenario.cy.conversations() == [couple])
    #expect(scenario.cy.unreadMessages() == 0)
    #expect(scenario.ann.conversation(id)["state"] as? String == "requested")
    #expect(try scenario.ann.writeTo(couple, "Please").status == 409)
    // The couple that declined may write all the same, which accepts.
    #expect(try scenario.cy.writeTo(scenario.ann.coupleID(), "Now we can").status == 201)
    #expect(scenario.ben.message("Great", to: id).status == 201)
    #expect(scenario.di.messages(of: id) == ["Great", "Now we can", "Shall we walk?"])
  }

  @Test("A couple asks at most five others a day")
  func limit() throws {
    let scenario = try MessageScenario(limits: true)
    var couples = [try scenario.cy.coupleID()]
    for first in ["eva", "fay", "gus", "hal", "ida"] {
      try scenario.instance.couple("\(first) & \(first)2", first, "\(first)2")
      scenario.instance.clock.advance(seconds: 61)
      couples.append(try scenario.instance.signedIn(first).coupleID())
    }
    for couple in couples.prefix(5) {
      #expect(try scenario.ann.writeTo(couple, "Hello").status == 201)
    }
    #expect(try scenario.ben.writeTo(couples[5], "Hello").status == 429)
    #expect(try scenario.instance.count("SELECT count(*) FROM messages") == 5)
  }

  @Test("A block by either couple ends the conversation; unblocking does not reopen it")
  func blocks() throws {
    for isOwn in [true, false] {
      let scenario = try MessageScenario()
      let id = try scenario.talking()
      let (one, other) = isOwn ? (scenario.ann, scenario.cy) : (scenario.cy, scenario.ann)
      let couple = try other.coupleID()
      try #require(one.call(.post, "/couples/\(couple)/block").status == 204)
      for client in [scenario.ann, scenario.ben, scenario.cy, scenario.di] {
        #expect(client.call(.get, "/conversations/\(id)").status == 404)
        #expect(client.message("Still here", to: id).status == 404)
        #expect(try client.conversations().count == 1)
      }
      one.call(.delete, "/couples/\(couple)/block")
      #expect(scenario.ann.conversation(id)["state"] as? String == "ended")
      #expect(scenario.cy.message("Again", to: id).status == 403)
      #expect(try scenario.ann.writeTo(scenario.cy.coupleID(), "Sorry").status == 201)
      #expect(scenario.cy.conversation(id)["may_answer"] as? Bool == true)
    }
  }

  @Test("After parting the conversations with others are readable only")
  func parting() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    scenario.ann.part()
    for client in [scenario.ann, scenario.ben, scenario.cy] {
      #expect(client.messages(of: id) == ["Hello"])
      #expect(client.message("Again", to: id).status == 403)
      #expect(client.conversation(id)["state"] as? String == "frozen")
    }
  }

  @Test("A couple of one that its member has left gets no messages")
  func left() throws {
    let scenario = try MessageScenario()
    scenario.sam.post("/couples/\(try scenario.cy.coupleID())/follow")
    let couple = try scenario.sam.coupleID()
    #expect(try scenario.cy.writeTo(couple, "Hello").status == 201)
    let id = try #require(
      scenario.cy.conversations().first { $0 != (try? scenario.cy.coupleID()) })
    #expect(scenario.sam.message("Hello, too", to: id).status == 201)
    try scenario.instance.database.write {
      try $0.execute(
        "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE display_name = 'Sam'")
    }
    #expect(scenario.cy.message("Still there?", to: id).status == 403)
    #expect(scenario.cy.conversation(id)["state"] as? String == "frozen")
    #expect(try scenario.cy.writeTo(couple, "Still there?").status == 409)
  }

  @Test("A suspended user may not write, nor may one whom moderators hid")
  func suspended() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    try scenario.instance.database.write {
      try $0.execute(
        """
        UPDATE users SET suspended_until = \(Instant(milliseconds: .max)), suspended_why = 'Spam'
        WHERE display_name = 'Ann'
        """)
    }
    #expect(scenario.ann.message("Words", to: id).status == 403)
    #expect(scenario.ann.messages(of: id) == ["Hello"])
    try scenario.instance.database.write {
      try $0.execute("UPDATE couples SET hidden_at = 1 WHERE name = 'Cy & Di'")
    }
    #expect(scenario.ben.message("Words", to: id).status == 403)
  }

  @Test("A suspended user may decline a request, and not accept it")
  func suspendedAnswers() throws {
    let scenario = try MessageScenario()
    let couple = try scenario.cy.coupleID()
    try scenario.ann.writeTo(couple, "Shall we walk?")
    let id = try #require(scenario.cy.conversations().first { $0 != couple })
    try scenario.instance.database.write {
      try $0.execute(
        """
        UPDATE users SET suspended_until = \(Instant(milliseconds: .max)), suspended_why = 'Spam'
        WHERE display_name = 'Cy'
        """)
    }
    let seen = scenario.cy.conversation(id)
    #expect(seen["may_answer"] as? Bool == false && seen["may_decline"] as? Bool == true)
    #expect(scenario.di.conversation(id)["may_answer"] as? Bool == true)
    for page in ["/messages", "/messages/\(id)"] {
      let shown = scenario.cy.get(page)
      #expect(shown.shows("/messages/\(id)/decline") && !shown.shows("/messages/\(id)/accept"))
      #expect(scenario.di.get(page).shows("/messages/\(id)/accept"))
    }
    #expect(scenario.cy.call(.post, "/conversations/\(id)/accept").status == 403)
    #expect(scenario.cy.post("/messages/\(id)/decline").location == "/messages")
    #expect(scenario.di.conversation(id)["state"] as? String == "declined")
    // Who asked may not decline, nor one who has nothing to do with it.
    #expect(scenario.ann.call(.post, "/conversations/\(id)/decline").status == 409)
    #expect(scenario.sam.call(.post, "/conversations/\(id)/decline").status == 404)
  }

  @Test("Own conversations are searched, all or one of them")
  func search() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let own = try scenario.ann.coupleID()
    scenario.ann.message("The café at the station", to: own)
    scenario.cy.message("At the STATION at six", to: id)
    func found(_ client: TestClient, _ query: String) -> [String] {
      client.call(.get, "/conversations/search?\(query)").list("hits")
        .compactMap { ($0["message"] as? [String: Any])?["text"] as? String }
    }
    let all = found(scenario.ann, "q=station")
    #expect(Set(all) == ["The café at the station", "At the STATION at six"])
    #expect(found(scenario.ann, "q=cafe") == ["The café at the station"])
    let one = found(scenario.ben, "q=six%20station&conversation_id=\(id)")
    #expect(one == ["At the STATION at six"])
    #expect(found(scenario.di, "q=cafe") == [] && found(scenario.sam, "q=station") == [])
    // The newest first, whichever conversation they are in.
    scenario.instance.clock.advance(seconds: 60)
    scenario.ben.message("Back at the station", to: own)
    #expect(found(scenario.ann, "q=station").first == "Back at the station")
    let foreign = scenario.sam.call(
      .get, "/conversations/search?q=a&conversation_id=\(id)")
    #expect(foreign.status == 404)
  }
}
