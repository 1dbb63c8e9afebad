import Core
import Database
import Foundation
import Testing

@testable import App

@Suite("Messages are encrypted, exported, purged and reported by the rules")
struct MessageSafetyTests {
  /// The bytes of the database file and its log.
  private func stored(_ instance: TestInstance) throws -> Data {
    let path = instance.instance.configuration.databasePath
    let log = try? Data(contentsOf: URL(filePath: "\(path)-wal"))
    return try Data(contentsOf: URL(filePath: path)) + (log ?? Data())
  }

  @Test(
    "No text of a message, a quoted one or a notice of it is in the database in the clear",
    .onSQLite("it reads the file"))
  func encrypted() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let first = try #require(
      scenario.cy.message("Quizzaciously-said", to: id).json["id"] as? String)
    scenario.ann.message("Flibbertigibbet", to: id, quoted: first)
    scenario.cy.call(.get, "/conversations/search?q=flibber")
    try scenario.instance.work()
    let bytes = try stored(scenario.instance)
    for words in ["Quizzaciously", "Flibbertigibbet"] {
      #expect(bytes.range(of: Data(words.utf8)) == nil, "\(words)")
    }
    #expect(scenario.di.messages(of: id).count == 3)
  }

  @Test("Rotating the keys encrypts messages again")
  func rotation() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let sent = try #require(scenario.ann.message("Words", to: id).json["id"] as? String)
    try #require(scenario.ben.report("/messages/\(id)/\(sent)").status == 303)
    func sealed() throws -> [[UInt8]] {
      try scenario.instance.database.read {
        try $0.values(
          """
          SELECT text_sealed FROM messages
          UNION ALL SELECT text_sealed FROM message_reported_texts
          """, as: [UInt8].self)
      }
    }
    let before = try sealed()
    #expect(before.count == 2)
    _ = try KeyRotation(scenario.instance.instance).run()
    #expect(try Set(before).isDisjoint(with: sealed()))
    let ann = TestClient(try scenario.instance.reopened().application)
    #expect(ann.signIn("ann@example.test", TestInstance.password).status == 303)
    #expect(ann.messages(of: id) == ["Words"])
  }

  @Test("An export has the user's own messages only")
  func export() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    scenario.cy.message("Theirs alone", to: id)
    scenario.ann.message(
      "", to: id, pictures: [SmallPicture.png, SmallPicture.png],
      descriptions: ["A small square", ""])
    scenario.ann.call(
      .put, "/conversations/\(id)/muted-hours", #"{"from":1320,"to":425}"#)
    let ann = try scenario.instance.person("Ann")
    let files = try scenario.instance.database.read { reader in
      try scenario.instance.instance.participants.flatMap { try $0.export(ann, from: reader) }
    }
    let file = try #require(files.first { $0.name == "messages.json" })
    let text = String(decoding: file.json, as: UTF8.self)
    #expect(text.contains("Hello") && !text.contains("Theirs alone"))
    let content = try #require(
      JSONSerialization.jsonObject(with: Data(file.json)) as? [String: Any])
    let messages = try #require(content["messages"] as? [[String: Any]])
    let pictures = messages.compactMap { $0["pictures"] as? [[String: Any]] }.joined()
    #expect(pictures.map { $0["description"] as? String } == ["A small square", ""])
    #expect(pictures.allSatisfy { ($0["file"] as? String)?.hasSuffix(".png") == true })
    let conversations = try #require(content["conversations"] as? [[String: Any]])
    let muted = try #require(conversations.first { $0["conversation"] as? String == id })
    #expect(muted["mutedFrom"] as? String == "22:00" && muted["mutedTo"] as? String == "07:05")
    #expect(muted["lastReadAt"] is String)
  }

  @Test("A purge takes the user's messages, reactions and memberships; the others keep theirs")
  func purge() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let theirs = scenario.cy.message("Theirs", to: id, pictures: [SmallPicture.png])
    let message = try #require(theirs.json["id"] as? String)
    scenario.ann.call(
      .put, "/conversations/\(id)/messages/\(message)/reaction", #"{"reaction":"heart"}"#)
    try scenario.instance.purge(scenario.instance.person("Ann"))
    #expect(scenario.cy.messages(of: id) == ["Theirs"])
    #expect(try scenario.instance.count("SELECT count(*) FROM message_reactions") == 0)
    // The other couple is gone as well: its conversation stays, with its files.
    try scenario.instance.purge(scenario.instance.person("Ben"))
    #expect(try scenario.instance.count("SELECT count(*) FROM couples") == 1)
    #expect(scenario.cy.messages(of: id) == ["Theirs"])
    #expect(scenario.cy.conversation(id)["state"] as? String == "frozen")
    #expect(scenario.cy.get("/messages/\(id)").status == 200)
    for name in ["Cy", "Di"] { try scenario.instance.purge(scenario.instance.person(name)) }
    for table in ["conversations", "conversation_members", "messages", "message_pictures"] {
      #expect(
        try scenario.instance.count("SELECT count(*) FROM \(name: table)") == 0, "\(table)")
    }
  }

  @Test("The folder of a conversation goes with its last file, once it is an hour old")
  func folders() throws {
    let scenario = try MessageScenario()
    let (id, own) = (try scenario.talking(), try scenario.ann.coupleID())
    let media = scenario.instance.instance.configuration.mediaFolder
    func exists(_ conversation: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(media)/messages/\(conversation)")
    }
    func age(_ conversation: String) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -4000)],
        ofItemAtPath: "\(media)/messages/\(conversation)")
    }
    func work() throws {
      scenario.instance.clock.advance(seconds: 7 * 3600)
      try scenario.instance.work()
    }
    for conversation in [id, own] {
      let sent = scenario.ann.message("", to: conversation, pictures: [SmallPicture.png])
      let message = try #require(sent.json["id"] as? String, "\(sent.text)")
      guard conversation == id else { continue }
      scenario.ann.call(.delete, "/conversations/\(id)/messages/\(message)")
    }
    try work()
    #expect(exists(id) && exists(own))
    for conversation in [id, own] { try age(conversation) }
    try work()
    #expect(!exists(id) && exists(own))
  }

  @Test("A purge of the last member removes the folder of the conversation")
  func lastFolder() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let people = try ["Ann", "Ben", "Cy", "Di"].map { try scenario.instance.person($0) }
    let purged = try scenario.instance.database.write { writer in
      try people.map { person in
        try scenario.instance.instance.features.messages.participant.purge(
          person, now: scenario.instance.clock.now(), in: writer)
      }
    }
    #expect(purged.dropLast().allSatisfy { !$0.contains("messages/\(id)") })
    #expect(purged.last?.contains("messages/\(id)") == true)
  }

  @Test("Messages of a deleted account are hidden until it is restored")
  func deleted() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    scenario.ann.message("Gone", to: id)
    scenario.ben.message("Here", to: id)
    func set(_ moment: Instant?) throws {
      try scenario.instance.database.write {
        try $0.execute("UPDATE users SET deleted_at = \(moment) WHERE display_name = 'Ann'")
      }
    }
    #expect(scenario.ben.unreadMessages() == 0)
    scenario.ann.message("Unread", to: id)
    #expect(scenario.ben.unreadMessages() == 1)
    try set(scenario.instance.clock.now())
    // What is not shown can't be read, so it is not counted.
    #expect(scenario.ben.messages(of: id) == ["Here"] && scenario.ben.unreadMessages() == 0)
    try set(nil)
    #expect(scenario.ben.messages(of: id) == ["Unread", "Here", "Gone"])
  }

  @Test("Pictures are for the members; they go with their message")
  func pictures() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let sent = scenario.ann.message("", to: id, pictures: [SmallPicture.png, SmallPicture.png])
    #expect(sent.status == 201, "\(sent.text)")
    let pictures = try #require(sent.json["pictures"] as? [[String: Any]])
    let url = try #require(pictures.first?["thumbnail_url"] as? String)
    let path = String(url.dropFirst("http://\(TestInstance.host)".count))
    for client in [scenario.ann, scenario.ben, scenario.cy, scenario.di] {
      #expect(client.get(path).status == 200)
    }
    #expect(scenario.sam.get(path).status == 404)
    #expect(scenario.instance.browser().get(path).status == 303)
    let files = try scenario.instance.mediaFiles().filter { $0.hasPrefix("messages/") }
    #expect(!files.isEmpty)
    let broken = scenario.ann.message("", to: id, pictures: [SmallPicture.png, [1, 2, 3]])
    #expect(broken.status == 415 || broken.status == 422)
    #expect(try scenario.instance.mediaFiles().filter { $0.hasPrefix("messages/") } == files)
    let message = try #require(sent.json["id"] as? String)
    #expect(scenario.ann.call(.delete, "/conversations/\(id)/messages/\(message)").status == 204)
    #expect(scenario.cy.get(path).status == 404)
    let left = try scenario.instance.mediaFiles().filter { $0.hasPrefix("messages/") }
    #expect(left == [])
    let ten = [[UInt8]](repeating: SmallPicture.png, count: 10)
    #expect(scenario.ann.message("", to: id, pictures: ten).status == 422)
  }

  @Test("Moderators see a reported message and five before and after it, and nothing else")
  func reports() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let moderator = try scenario.instance.moderator()
    for number in 1...7 { scenario.ann.message("Before \(number)", to: id) }
    let bad = try #require(scenario.ann.message("Buy my coins", to: id).json["id"] as? String)
    for number in 1...7 { scenario.cy.message("After \(number)", to: id) }
    let form = "/messages/\(id)/\(bad)"
    #expect(moderator.call(.get, "/conversations/\(id)").status == 404)
    #expect(scenario.ann.report(form).status == 422)
    #expect(scenario.sam.report(form).status == 404)
    #expect(scenario.cy.get("\(form)/report").shows("Buy my coins"))
    #expect(scenario.cy.report(form).location == "/messages/\(id)")
    let found = try scenario.instance.onlyCase(moderator)
    let page = moderator.get(found)
    for words in ["Buy my coins", "Before 3", "Before 7", "After 1", "After 5"] {
      #expect(page.shows(words), "\(words)")
    }
    for words in ["Hello", "Before 2", "After 6"] { #expect(!page.shows(words), "\(words)") }
    // The author's changes do not take the evidence.
    let changed = scenario.ann.call(
      .patch, "/conversations/\(id)/messages/\(bad)", #"{"text":"Good morning"}"#)
    #expect(changed.status == 200 && changed.json["text"] as? String == "Good morning")
    #expect(moderator.get(found).shows("Buy my coins"))
    #expect(
      scenario.ann.call(.delete, "/conversations/\(id)/messages/\(bad)").status == 204)
    #expect(moderator.get(found).shows("Buy my coins"))
    #expect(moderator.decide(found, "remove").status == 303)
    scenario.instance.clock.advance(seconds: 31 * 86_400)
    try scenario.instance.work()
    #expect(
      try scenario.instance.count("SELECT count(*) FROM messages WHERE text_sealed IS NULL") == 1)
    #expect(try scenario.instance.count("SELECT count(*) FROM message_reported_texts") == 0)
  }

  @Test("A partner's message can be reported; there is no other couple to block")
  func partner() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let moderator = try scenario.instance.moderator()
    for number in 1...6 { scenario.ben.message("Before \(number)", to: id) }
    let bad = try #require(scenario.ann.message("Hurtful words", to: id).json["id"] as? String)
    let form = "/messages/\(id)/\(bad)"
    #expect(scenario.ann.get("\(form)/report").status == 422)
    let page = scenario.ben.get("\(form)/report")
    #expect(page.status == 200 && page.shows("your partner may guess"))
    #expect(!page.shows("name=\"block\""))
    #expect(scenario.ben.get("/messages/\(id)").shows("\(form)/report"))
    #expect(scenario.cy.report(form).status == 404)
    let answer = scenario.ben.post(
      "\(form)/report", ["reason": "harassment", "note": "", "block": "1"])
    #expect(answer.location == "/messages/\(id)")
    let found = try scenario.instance.onlyCase(moderator)
    let shown = moderator.get(found)
    #expect(shown.shows("Hurtful words") && shown.shows("Before 2"))
    #expect(!shown.shows("Before 1"))
    #expect(moderator.call(.get, "/conversations/\(id)").status == 404)
    #expect(moderator.decide(found, "hide").status == 303)
    #expect(!scenario.ben.messages(of: id).contains("Hurtful words"))
    #expect(try scenario.instance.count("SELECT count(*) FROM blocks") == 0)
  }

  @Test("A hidden message is seen by its author only, who may appeal")
  func hidden() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let moderator = try scenario.instance.moderator()
    let bad = try #require(scenario.ann.message("Buy my coins", to: id).json["id"] as? String)
    let report = scenario.cy.call(
      .post, "/conversations/\(id)/messages/\(bad)/report", #"{"reason":"spam"}"#)
    #expect(report.status == 201, "\(report.text)")
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.decide(found, "hide").status == 303)
    #expect(scenario.cy.messages(of: id) == ["", "Hello"])
    #expect(scenario.ann.messages(of: id) == ["Buy my coins", "Hello"])
    let decisions = scenario.ann.get("/settings/decisions")
    #expect(decisions.shows("Message hidden") && decisions.shows("Buy my coins"))
    let appeal = try #require(
      decisions.text.firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/)?.output.1)
    #expect(scenario.ann.post(String(appeal), ["words": "It was a joke"]).status == 303)
    #expect(moderator.decide(found, "dismiss", note: "Right").status == 303)
    #expect(scenario.cy.messages(of: id) == ["Buy my coins", "Hello"])
  }
}
