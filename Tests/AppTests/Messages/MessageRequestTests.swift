import Core
import Database
import Testing

@testable import App

@Suite("A request to another couple is changed and withdrawn while it waits")
struct MessageRequestTests {
  /// The conversation with a request of Ann's to Cy and Di.
  private func asked(_ scenario: MessageScenario) throws -> String {
    let couple = try scenario.cy.coupleID()
    try scenario.ann.writeTo(couple, "Shall we walk?")
    return try #require(scenario.cy.conversations().first { $0 != couple })
  }

  private func latest(_ client: TestClient, _ id: String) throws -> String {
    try #require(
      client.call(.get, "/conversations/\(id)/messages").list("messages").first?["id"] as? String)
  }

  @Test("Both of the couple that asked may withdraw it, and ask again")
  func withdrawn() throws {
    let scenario = try MessageScenario()
    let couple = try scenario.cy.coupleID()
    let id = try asked(scenario)
    for client in [scenario.ann, scenario.ben] {
      #expect(client.conversation(id)["may_withdraw"] as? Bool == true)
      #expect(client.get("/messages/\(id)").shows("/messages/\(id)/withdraw"))
    }
    #expect(scenario.cy.conversation(id)["may_withdraw"] as? Bool == false)
    #expect(scenario.cy.call(.post, "/conversations/\(id)/withdraw").status == 409)
    #expect(scenario.sam.call(.post, "/conversations/\(id)/withdraw").status == 404)
    #expect(scenario.cy.notices().count == 1 && scenario.cy.unreadMessages() == 1)
    #expect(scenario.ben.post("/messages/\(id)/withdraw").location == "/messages")
    #expect(scenario.ann.call(.post, "/conversations/\(id)/withdraw").status == 409)
    for client in [scenario.ann, scenario.cy] {
      #expect(try client.conversations() == [client.coupleID()])
      #expect(client.conversation(id)["state"] as? String == "ended")
      #expect(client.messages(of: id) == [""])
    }
    #expect(scenario.cy.notices() == [] && scenario.cy.unreadMessages() == 0)
    #expect(scenario.cy.message("Too late", to: id).status == 403)
    #expect(try scenario.ann.writeTo(couple, "Shall we run?").status == 201)
    #expect(scenario.cy.conversation(id)["may_answer"] as? Bool == true)
    #expect(scenario.cy.messages(of: id).first == "Shall we run?")
    #expect(scenario.cy.notices().count == 1)
  }

  @Test("One that was declined stays so when it is sent again, and who asks is not told")
  func declined() throws {
    let scenario = try MessageScenario()
    let couple = try scenario.cy.coupleID()
    let id = try asked(scenario)
    scenario.cy.call(.post, "/conversations/\(id)/decline")
    scenario.cy.subscribe()
    #expect(scenario.ann.call(.post, "/conversations/\(id)/withdraw").status == 204)
    #expect(try scenario.ann.writeTo(couple, "Please").status == 201)
    #expect(scenario.ann.conversation(id)["state"] as? String == "requested")
    #expect(scenario.ann.conversation(id)["may_withdraw"] as? Bool == true)
    #expect(try scenario.ben.writeTo(couple, "Please").status == 409)
    #expect(try scenario.cy.conversations() == [couple])
    #expect(scenario.cy.unreadMessages() == 0 && scenario.cy.notices() == [])
    #expect(try scenario.instance.pushed().isEmpty)
    // The couple that declined may write all the same.
    #expect(try scenario.cy.writeTo(scenario.ann.coupleID(), "Now we can").status == 201)
    #expect(scenario.ann.conversation(id)["state"] as? String == "open")
  }

  @Test("The other couple may ask after a request was withdrawn")
  func turned() throws {
    let scenario = try MessageScenario()
    let id = try asked(scenario)
    scenario.ann.call(.post, "/conversations/\(id)/withdraw")
    #expect(try scenario.cy.writeTo(scenario.ann.coupleID(), "Did you ask?").status == 201)
    #expect(scenario.ann.conversation(id)["may_answer"] as? Bool == true)
    #expect(scenario.cy.conversation(id)["may_withdraw"] as? Bool == true)
  }

  @Test("Its author changes the text until it is answered, without links")
  func changed() throws {
    let scenario = try MessageScenario()
    let id = try asked(scenario)
    let message = try latest(scenario.ann, id)
    let path = "/conversations/\(id)/messages/\(message)"
    scenario.instance.clock.advance(seconds: 3600)
    #expect(scenario.ann.get("/messages/\(id)").shows("/messages/\(id)/\(message)/edit"))
    #expect(scenario.ann.get("/messages/\(id)/\(message)/edit").shows("until they answer"))
    #expect(!scenario.ben.get("/messages/\(id)").shows("/messages/\(id)/\(message)/edit"))
    #expect(scenario.ben.call(.patch, path, #"{"text":"Mine"}"#).status == 404)
    let link = scenario.ann.call(.patch, path, #"{"text":"See https://a.test"}"#)
    #expect(link.status == 422 && link.fieldErrors["text"] != nil)
    #expect(scenario.ann.call(.patch, path, #"{"text":"Shall we run?"}"#).status == 200)
    #expect(scenario.cy.messages(of: id) == ["Shall we run?"])
    scenario.cy.call(.post, "/conversations/\(id)/accept")
    #expect(scenario.ann.call(.patch, path, #"{"text":"Too late"}"#).status == 409)
    #expect(scenario.ann.call(.post, "/conversations/\(id)/withdraw").status == 409)
  }

  @Test("A reported request stays for moderators when it is withdrawn")
  func reported() throws {
    let scenario = try MessageScenario()
    let id = try asked(scenario)
    let message = try latest(scenario.cy, id)
    #expect(scenario.cy.report("/messages/\(id)/\(message)").status == 303)
    #expect(scenario.ann.call(.post, "/conversations/\(id)/withdraw").status == 204)
    let moderator = try scenario.instance.moderator()
    #expect(moderator.get(try scenario.instance.onlyCase(moderator)).shows("Shall we walk?"))
  }
}
