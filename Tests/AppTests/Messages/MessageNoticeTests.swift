import Core
import Database
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Messages are announced live, on the page and by push")
struct MessageNoticeTests {
  @Test("A stream has the conversation's channel and the member's own; others get none")
  func stream() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let ben = try scenario.instance.person("Ben")
    func stream(_ client: TestClient, _ path: String) -> TestResponse {
      client.send(.get, "/api/v1/conversations\(path)", headers: [.accept: "text/event-stream"])
    }
    #expect(
      stream(scenario.ben, "/\(id)/events").headers[.accelRedirect] == "/live/c.\(id)/inbox.\(ben)")
    #expect(stream(scenario.ben, "/events").headers[.accelRedirect] == "/live/inbox/inbox.\(ben)")
    #expect(stream(scenario.sam, "/\(id)/events").status == 404)
    #expect(stream(scenario.instance.browser(), "/events").status == 401)
    #expect(
      scenario.ben.get("/api/v1/conversations/\(id)/events").text
        == "event: conversation\ndata: {\"version\":1}\n\n")
  }

  @Test("A message tells its conversation and the lists of its members, and no words")
  func channels() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    try scenario.instance.dropLiveEvents()
    scenario.cy.message("Secret", to: id)
    let channels = try scenario.instance.database.read {
      try $0.values("SELECT channel FROM live_news", as: String.self)
    }
    let people = try ["Ann", "Ben", "Cy", "Di"].map { try scenario.instance.person($0) }
    #expect(Set(channels) == Set(["c.\(id)"] + people.map { "inbox.\($0)" }))
  }

  @Test("Parting, undoing it and a block are told to the open pages of all members")
  func closing() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let own = try scenario.ann.coupleID()
    scenario.ann.message("Good morning", to: own)
    let people = try ["Ann", "Ben", "Cy", "Di"].map { try scenario.instance.person($0) }
    let inboxes = people.map { "inbox.\($0)" }
    func told() throws -> Set<String> {
      let channels = try scenario.instance.database.read {
        try $0.values("SELECT channel FROM live_news", as: String.self)
      }
      try scenario.instance.dropLiveEvents()
      return Set(channels)
    }
    /// The state and version that Ben's page of a conversation gets when it asks for changes.
    func asked(_ conversation: String, after version: Int) -> (state: String?, version: Int) {
      let path = "/conversations/\(conversation)/messages?after=\(version)"
      let answer = scenario.ben.call(.get, path).json
      return (answer["state"] as? String, answer["version"] as? Int ?? 0)
    }
    let (first, second) = (asked(own, after: 0), asked(id, after: 0))
    #expect(first.state == "open" && second.state == "open")
    _ = try told()
    scenario.ann.part()
    #expect(try told().isSuperset(of: ["c.\(own)", "c.\(id)"] + inboxes))
    for (conversation, before) in [(own, first), (id, second)] {
      let after = asked(conversation, after: before.version)
      #expect(after.state == "frozen" && after.version > before.version)
    }
    for client in [scenario.ann, scenario.ben] {
      client.call(.post, "/couples/\(own)/undo-part")
    }
    #expect(try told().isSuperset(of: ["c.\(own)", "c.\(id)"] + inboxes))
    #expect(asked(own, after: 0).state == "open")
    scenario.cy.call(.post, "/couples/\(try scenario.ann.coupleID())/block")
    #expect(try told().isSuperset(of: ["c.\(id)"] + inboxes))
    #expect(scenario.ben.call(.get, "/conversations/\(id)/messages?after=0").status == 404)
  }

  @Test("Before the first message of the two their page hears of writing and of parting")
  func unwritten() throws {
    let scenario = try MessageScenario()
    let own = try scenario.ann.coupleID()
    func told() throws -> Set<String> {
      let channels = try scenario.instance.database.read {
        try $0.values("SELECT channel FROM live_news", as: String.self)
      }
      try scenario.instance.dropLiveEvents()
      return Set(channels)
    }
    _ = try told()
    #expect(scenario.ben.call(.put, "/conversations/\(own)/writing").status == 204)
    #expect(try told().contains("c.\(own)"))
    let changes = "/conversations/\(own)/messages?after=0"
    #expect(scenario.ann.call(.get, changes).json["writing"] as? [String] == ["Ben"])
    #expect(scenario.ann.call(.get, changes).list("messages").isEmpty)
    #expect(try scenario.ann.conversations() == [own])

    let other = try scenario.cy.coupleID()
    scenario.cy.part()
    #expect(try told().contains("c.\(other)"))
    #expect(scenario.di.call(.get, "/conversations/\(other)/messages?after=0").status == 404)
  }

  @Test("A deleted account is told to the open pages of all conversations")
  func deletion() throws {
    let scenario = try MessageScenario()
    let (id, own) = (try scenario.talking(), try scenario.ann.coupleID())
    func people(_ client: TestClient) -> Set<String> {
      let changes = client.call(.get, "/conversations/\(id)/messages?after=0").json
      return Set(changes["people"] as? [String] ?? [])
    }
    #expect(people(scenario.cy) == ["Ann", "Ben", "Di"])
    let version = try #require(scenario.cy.conversation(id)["version"] as? Int)
    try scenario.instance.dropLiveEvents()
    #expect(scenario.ann.leave().status == 303)
    let channels = try scenario.instance.database.read {
      try $0.values("SELECT channel FROM live_news", as: String.self)
    }
    let inboxes = try ["Ben", "Cy", "Di"].map { "inbox.\(try scenario.instance.person($0))" }
    #expect(Set(channels).isSuperset(of: ["c.\(id)", "c.\(own)"] + inboxes))
    #expect(people(scenario.cy) == ["Ben", "Di"] && people(scenario.ben) == ["Cy", "Di"])
    #expect(try #require(scenario.cy.conversation(id)["version"] as? Int) > version)
  }

  @Test("Those who are writing are shown for six seconds")
  func writing() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    #expect(scenario.cy.call(.put, "/conversations/\(id)/writing").status == 204)
    func writing() -> [String]? {
      scenario.ann.call(.get, "/conversations/\(id)/messages?after=0").json["writing"] as? [String]
    }
    #expect(writing() == ["Cy"])
    scenario.instance.clock.advance(seconds: 6)
    #expect(writing() == [])
    #expect(scenario.sam.call(.put, "/conversations/\(id)/writing").status == 404)
  }

  @Test("One notice stands for a burst, and goes when the conversation is read")
  func notices() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    for number in 1...3 { scenario.ben.message("Message \(number)", to: id) }
    #expect(scenario.ann.notices() == ["Ben wrote to you"])
    #expect(scenario.ben.notices() == [])
    scenario.ann.call(.put, "/conversations/\(id)/read", "{}")
    #expect(scenario.ann.notices() == [])
    // An answer reads as well.
    scenario.ben.message("Message 4", to: id)
    #expect(scenario.ann.notices() == ["Ben wrote to you"])
    scenario.ann.message("Answer", to: id)
    #expect(scenario.ann.notices() == [] && scenario.ann.unreadMessages() == 0)
    let last = try #require(scenario.ben.message("Oops", to: id).json["id"] as? String)
    #expect(scenario.ann.notices().count == 1)
    scenario.ben.call(.delete, "/conversations/\(id)/messages/\(last)")
    #expect(scenario.ann.notices() == [])
  }

  @Test("A push names the author, and says the words only to who wants that; one for a burst")
  func pushes() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    scenario.ann.subscribe()
    scenario.ben.message("A secret", to: id)
    let sent = try scenario.instance.pushed()
    #expect(sent.map(\.body) == ["Ben wrote to you."])
    #expect(sent.first?.url == "/messages/\(id)")
    scenario.ben.message("More", to: id)
    #expect(try scenario.instance.pushed().isEmpty)
    // After reading, the next message is news again, once the member is not reading any more.
    scenario.ann.call(.put, "/conversations/\(id)/read", "{}")
    scenario.instance.clock.advance(seconds: 120)
    scenario.ann.call(.patch, "/conversations/settings", #"{"shows_content":true}"#)
    scenario.ben.message("At six?", to: id)
    #expect(try scenario.instance.pushed().map(\.body) == ["Ben: At six?"])
    scenario.instance.clock.advance(seconds: 121)
    scenario.ben.message("Or at seven?", to: id)
    scenario.ann.call(.put, "/conversations/\(id)/read", "{}")
    #expect(try scenario.instance.pushed().isEmpty)
  }

  @Test("A reading member gets no push until two minutes later, and none of what is read by then")
  func reading() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    scenario.ann.subscribe()
    scenario.ben.message("One", to: id)
    #expect(try scenario.instance.pushed().count == 1)
    let read = "/conversations/\(id)/read"
    // Each message is read while it comes.
    for number in 1...3 {
      scenario.ann.call(.put, read, "{}")
      scenario.instance.clock.advance(seconds: 60)
      scenario.ben.message("More \(number)", to: id)
      #expect(try scenario.instance.pushed().isEmpty)
      #expect(scenario.ann.notices() == ["Ben wrote to you"])
    }
    scenario.ann.call(.put, read, "{}")
    scenario.instance.clock.advance(seconds: 200)
    #expect(try scenario.instance.pushed().isEmpty && scenario.ann.notices() == [])
    // What comes after the last reading is pushed when it is two minutes ago.
    scenario.ben.message("Still there?", to: id)
    #expect(try scenario.instance.pushed().count == 1)
    scenario.ann.message("Yes", to: id)
    scenario.instance.clock.advance(seconds: 30)
    scenario.ben.message("Good", to: id)
    scenario.instance.clock.advance(seconds: 89)
    #expect(try scenario.instance.pushed().isEmpty)
    scenario.instance.clock.advance(seconds: 1)
    #expect(try scenario.instance.pushed().map(\.body) == ["Ben wrote to you."])
    #expect(scenario.ann.notices() == ["Ben wrote to you"])
  }

  @Test("A push shows no words of a request, and none goes after a block")
  func strangers() throws {
    let scenario = try MessageScenario()
    scenario.cy.subscribe()
    scenario.cy.call(.patch, "/conversations/settings", #"{"shows_content":true}"#)
    try scenario.ann.writeTo(scenario.cy.coupleID(), "Buy my coins")
    #expect(try scenario.instance.pushed().map(\.body) == ["Ann wrote to you."])
    let other = try MessageScenario()
    _ = try other.talking()
    _ = try other.instance.pushed()
    other.cy.subscribe()
    try other.ann.writeTo(other.cy.coupleID(), "One more thing")
    other.cy.call(.post, "/couples/\(try other.ann.coupleID())/block")
    #expect(try other.instance.pushed().isEmpty)
  }

  @Test("In muted hours there are neither notices nor pushes; messages come all the same")
  func muted() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    scenario.ann.call(.put, "/conversations/\(id)/read", "{}")
    scenario.cy.subscribe()
    #expect(
      scenario.cy.call(
        .put, "/conversations/\(id)/muted-hours", #"{"from":0,"to":0}"#
      ).status == 204)
    scenario.cy.call(.put, "/conversations/\(id)/read", "{}")
    scenario.ann.message("Quietly", to: id)
    #expect(!scenario.cy.notices().contains { $0.contains("wrote") })
    #expect(try scenario.instance.pushed().isEmpty)
    #expect(scenario.cy.unreadMessages() == 1)
    #expect(scenario.di.notices().contains { $0.contains("wrote to you") })
    // The partner's message to others is no news to be told.
    #expect(!scenario.ben.notices().contains { $0.contains("wrote") })
    #expect(scenario.cy.call(.delete, "/conversations/\(id)/muted-hours").status == 204)
    // Cy has read a moment ago.
    scenario.instance.clock.advance(seconds: 120)
    scenario.ben.message("Loudly", to: id)
    #expect(try scenario.instance.pushed().count == 1)
  }
}
