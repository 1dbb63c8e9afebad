import Core
import Foundation
import Testing

@testable import App

@Suite("Messages of the two")
struct PairMessageTests {
  @Test("The two have a conversation from the beginning; others see nothing of it")
  func members() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    #expect(try scenario.ann.conversations() == [id])
    #expect(scenario.ann.conversation(id)["may_write"] as? Bool == true)
    let sent = scenario.ann.message("Good morning", to: id)
    #expect(sent.status == 201, "\(sent.text)")
    let path = "/conversations/\(id)/messages"
    #expect(scenario.ben.messages(of: id) == ["Good morning"])
    for other in [scenario.cy, scenario.sam] {
      for call in ["/conversations/\(id)", path, "/conversations/\(id)/events"] {
        #expect(other.call(.get, call).status == 404, "\(call)")
      }
      #expect(other.message("Hello", to: id).status == 404)
      #expect(other.get("/messages/\(id)").status == 404)
    }
    #expect(scenario.instance.browser().call(.get, path).status == 401)
    #expect(try scenario.sam.conversations() == [])
  }

  @Test("A message with the same client's identifier is stored once")
  func once() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let first = scenario.ann.message("Once", to: id, client: "a-1")
    let again = scenario.ann.message("Once", to: id, client: "a-1")
    #expect(first.status == 201 && again.status == 201)
    #expect(first.json["id"] as? String == again.json["id"] as? String)
    #expect(try scenario.instance.count("SELECT count(*) FROM messages") == 1)
    // The identifier is the sender's own.
    #expect(scenario.ben.message("Mine", to: id, client: "a-1").status == 201)
    #expect(scenario.ann.message("", to: id).status == 422)
    #expect(scenario.ann.message("Words", to: id, client: "").fieldErrors["client_id"] != nil)
    let long = String(repeating: "a", count: 65)
    #expect(scenario.ann.message("Words", to: id, client: long).status == 422)
  }

  @Test("An old form with other words says that the message was sent, and keeps the words")
  func resent() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let page = "/messages/\(id)"
    #expect(scenario.ann.post(page, ["client_id": "a-1", "text": "Once"]).status == 303)
    // The same form again is the same message.
    #expect(scenario.ann.post(page, ["client_id": "a-1", "text": " Once\r\n"]).status == 303)
    let other = scenario.ann.post(page, ["client_id": "a-1", "text": "Something else"])
    #expect(other.status == 409 && other.shows("already sent this message"))
    #expect(other.shows(">Something else</textarea>"))
    let fresh = try #require(other.value(of: "client_id"))
    #expect(fresh != "a-1")
    #expect(scenario.ann.messages(of: id) == ["Once"])
    let again = scenario.ann.post(page, ["client_id": fresh, "text": "Something else"])
    #expect(again.status == 303 && scenario.ann.messages(of: id) == ["Something else", "Once"])
    let call = scenario.ann.message("Third", to: id, client: "a-1")
    #expect(call.status == 409 && call.fieldErrors["text"] != nil)
    // An edited message is recognised by its identifier alone.
    let first = try #require(
      scenario.ann.call(.get, "/conversations/\(id)/messages").list("messages").last?["id"]
        as? String)
    scenario.ann.call(.patch, "/conversations/\(id)/messages/\(first)", #"{"text":"Edited"}"#)
    #expect(scenario.ann.message("Once", to: id, client: "a-1").status == 201)
    #expect(try scenario.instance.count("SELECT count(*) FROM messages") == 2)
  }

  @Test("Pages go backwards by cursor, changes forwards by version, and from a moment on")
  func paging() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let start = scenario.instance.clock.now()
    for number in 1...5 {
      scenario.instance.clock.advance(seconds: 60)
      scenario.ann.message("Message \(number)", to: id)
    }
    let path = "/conversations/\(id)/messages"
    let page = scenario.ben.call(.get, "\(path)?limit=2").json
    #expect(scenario.ben.messages(of: id, "?limit=2") == ["Message 5", "Message 4"])
    let cursor = try #require(page["next_cursor"] as? String)
    let older = scenario.ben.messages(of: id, "?limit=2&cursor=\(cursor)")
    #expect(older == ["Message 3", "Message 2"])
    let since = start.adding(seconds: 4 * 60).rfc3339
    #expect(scenario.ben.messages(of: id, "?since=\(since)") == ["Message 4", "Message 5"])
    let version = try #require(page["version"] as? Int)
    #expect(scenario.ben.messages(of: id, "?after=\(version)") == [])
    scenario.ann.message("Message 6", to: id)
    #expect(scenario.ben.messages(of: id, "?after=\(version)") == ["Message 6"])
    #expect(scenario.ben.call(.get, "\(path)?after=-1").status == 422)
    #expect(scenario.ben.call(.get, "\(path)?cursor=made-up").status == 422)
  }

  @Test("Editing ends after 15 minutes, deleting for all after a day; a trace stays")
  func changes() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let first = try #require(scenario.ann.message("Frist", to: id).json["id"] as? String)
    let path = "/conversations/\(id)/messages/\(first)"
    #expect(scenario.ben.call(.patch, path, #"{"text":"Mine"}"#).status == 404)
    #expect(scenario.ben.call(.delete, path).status == 404)
    let edited = scenario.ann.call(.patch, path, #"{"text":"First"}"#)
    #expect(edited.status == 200 && edited.json["edited_at"] is String)
    #expect(scenario.ben.messages(of: id) == ["First"])
    scenario.instance.clock.advance(seconds: 15 * 60)
    #expect(scenario.ann.call(.patch, path, #"{"text":"Last"}"#).status == 409)
    #expect(scenario.ann.call(.delete, path).status == 204)
    let gone = try #require(
      scenario.ben.call(.get, "/conversations/\(id)/messages").list("messages").first)
    #expect(gone["gone"] as? String == "deleted" && gone["text"] as? String == "")
    #expect(
      try scenario.instance.count("SELECT count(*) FROM messages WHERE text_sealed IS NOT NULL")
        == 0)
    let second = try #require(scenario.ann.message("Second", to: id).json["id"] as? String)
    scenario.instance.clock.advance(seconds: 86_400)
    let late = scenario.ann.call(.delete, "/conversations/\(id)/messages/\(second)")
    #expect(late.status == 409)
  }

  @Test("The form of the page sends a description with each picture")
  func descriptions() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let fields = [
      ("client_id", "a-1"), ("text", "Look"), ("descriptions", ""), ("descriptions", "A square"),
    ]
    let files = [SmallPicture.png, SmallPicture.png].map { (field: "pictures", bytes: $0) }
    #expect(scenario.ann.upload("/messages/\(id)", fields, files: files).status == 303)
    let sent = try #require(
      scenario.ben.call(.get, "/conversations/\(id)/messages").list("messages").first)
    let pictures = try #require(sent["pictures"] as? [[String: Any]])
    #expect(pictures.map { $0["description"] as? String } == ["", "A square"])
    #expect(scenario.ben.get("/messages/\(id)").shows("alt=\"A square\""))
  }

  @Test("Each member has one reaction; an answer shows the beginning of what it quotes")
  func reactions() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let first = try #require(scenario.ann.message("Question", to: id).json["id"] as? String)
    let path = "/conversations/\(id)/messages/\(first)/reaction"
    #expect(scenario.ben.call(.put, path, #"{"reaction":"heart"}"#).status == 200)
    let changed = scenario.ben.call(.put, path, #"{"reaction":"laugh"}"#)
    let reactions = try #require(changed.json["reactions"] as? [[String: Any]])
    #expect(reactions.map { $0["reaction"] as? String } == ["laugh"])
    #expect(scenario.ben.call(.put, path, #"{"reaction":"wave"}"#).status == 422)
    #expect(scenario.ben.call(.delete, path).status == 200)
    #expect(try scenario.instance.count("SELECT count(*) FROM message_reactions") == 0)
    let answer = scenario.ben.message("Answer", to: id, quoted: first)
    let quoted = try #require(answer.json["quoted"] as? [String: Any])
    #expect(quoted["text"] as? String == "Question" && quoted["author_name"] as? String == "Ann")
    let unknown = "\(ID<Int>.random())"
    #expect(scenario.ben.message("Answer", to: id, quoted: unknown).status == 422)
  }

  @Test("Read marks are seen, unless one of the two has turned them off")
  func reads() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    scenario.ann.message("One", to: id)
    let last = try #require(scenario.ann.message("Two", to: id).json["number"] as? Int)
    #expect(scenario.ben.unreadMessages() == 2 && scenario.ann.unreadMessages() == 0)
    func marks(_ client: TestClient) -> [Int?] {
      client.call(.get, "/conversations/\(id)/messages").list("reads").map { $0["number"] as? Int }
    }
    #expect(marks(scenario.ann) == [0])
    #expect(
      scenario.ben.call(.put, "/conversations/\(id)/read", #"{"number":\#(last)}"#).status == 204)
    #expect(scenario.ben.unreadMessages() == 0 && marks(scenario.ann) == [last])
    scenario.ben.call(.patch, "/conversations/settings", #"{"shares_reads":false}"#)
    #expect(marks(scenario.ann) == [] && marks(scenario.ben) == [])
    scenario.ann.message("Three", to: id)
    let version = scenario.ann.conversation(id)["version"] as? Int
    scenario.ben.call(.put, "/conversations/\(id)/read", "{}")
    #expect(scenario.ann.conversation(id)["version"] as? Int == version)
  }

  @Test("After parting both still read, and neither writes, edits or reacts")
  func parting() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let first = try #require(scenario.ann.message("Once", to: id).json["id"] as? String)
    scenario.ann.part()
    for client in [scenario.ann, scenario.ben] {
      #expect(client.messages(of: id) == ["Once"])
      #expect(client.conversation(id)["state"] as? String == "frozen")
      #expect(client.message("Again", to: id).status == 403)
    }
    let path = "/conversations/\(id)/messages/\(first)"
    #expect(scenario.ann.call(.patch, path, #"{"text":"Never"}"#).status == 403)
    #expect(scenario.ben.call(.put, "\(path)/reaction", #"{"reaction":"sad"}"#).status == 403)
    scenario.instance.clock.advance(seconds: 31 * 86_400)
    try scenario.instance.work()
    let ann = try scenario.instance.signedIn("ann")
    #expect(ann.messages(of: id) == ["Once"])
    #expect(ann.message("Again", to: id).status == 403)
  }

  @Test("More than 30 messages a minute are refused")
  func limit() throws {
    let scenario = try MessageScenario(limits: true)
    let id = try scenario.ann.coupleID()
    for number in 1...30 {
      #expect(scenario.ann.message("Message \(number)", to: id).status == 201)
    }
    let refused = scenario.ann.message("Too many", to: id)
    #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
    #expect(scenario.ben.message("Mine", to: id).status == 201)
  }
}
