import Core
import Database
import Testing

@testable import App
@testable import Messages

@Suite(
  "What was reported of a message stays for moderators until its case is closed, and 30 days more")
struct ReportedMessageTests {
  let scenario: MessageScenario
  let conversation: String

  init() throws {
    scenario = try MessageScenario()
    conversation = try scenario.talking()
  }

  /// A message of Ann.
  private func sent(_ text: String) throws -> String {
    try #require(scenario.ann.message(text, to: conversation).json["id"] as? String)
  }

  private func edit(_ message: String, _ text: String) {
    let answer = scenario.ann.call(
      .patch, "/conversations/\(conversation)/messages/\(message)", #"{"text":"\#(text)"}"#)
    #expect(answer.status == 200, "\(answer.text)")
  }

  private func report(_ message: String, by client: TestClient) throws {
    try #require(client.report("/messages/\(conversation)/\(message)").status == 303)
  }

  private func withdraw(by client: TestClient) throws {
    client.post(try #require(client.get("/settings/reports").undo))
  }

  /// A message of which the author's partner reported harmless words, and Cy what came in their place.
  private func reportedTwice() throws -> String {
    let message = try sent("Good morning")
    try report(message, by: scenario.ben)
    edit(message, "Buy my coins")
    let asked = scenario.cy.get("/messages/\(conversation)/\(message)/report")
    #expect(asked.shows("Buy my coins") && !asked.shows("Good morning"))
    try report(message, by: scenario.cy)
    return message
  }

  private func textCount() throws -> Int {
    try scenario.instance.count("SELECT count(*) FROM message_reported_texts")
  }

  private func pass(days: Int64) throws {
    scenario.instance.clock.advance(seconds: days * 86_400)
    try scenario.instance.work()
  }

  @Test("Every text that was reported stays for moderators, however often it is edited")
  func edited() throws {
    let moderator = try scenario.instance.moderator()
    // The partner's report of harmless words does not stand for what comes later.
    let bad = try reportedTwice()
    edit(bad, "Good evening")
    #expect(scenario.cy.messages(of: conversation) == ["Good evening", "Hello"])
    let page = moderator.get(try scenario.instance.onlyCase(moderator))
    for words in ["Buy my coins", "Good morning", "Good evening"] {
      #expect(page.shows(words), "\(words)")
    }
    #expect(moderator.get("/admin/reports").shows("Buy my coins"))
  }

  @Test("Texts of an edited message stay as long as its case is open, and for 30 days after that")
  func waiting() throws {
    let bad = try sent("Buy my coins")
    try report(bad, by: scenario.cy)
    edit(bad, "Good evening")
    try pass(days: 40)
    let moderator = try scenario.instance.moderator()
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.get(found).shows("Buy my coins"))
    #expect(moderator.decide(found, "dismiss").status == 303)
    try pass(days: 29)
    #expect(try textCount() == 1)
    try pass(days: 2)
    #expect(try textCount() == 0)
    #expect(scenario.cy.messages(of: conversation) == ["Good evening", "Hello"])
  }

  @Test("So do words and pictures of a deleted message")
  func deleted() throws {
    let sent = scenario.ann.message(
      "Buy my coins", to: conversation, pictures: [SmallPicture.png])
    let bad = try #require(sent.json["id"] as? String, "\(sent.text)")
    try report(bad, by: scenario.cy)
    #expect(
      scenario.ann.call(.delete, "/conversations/\(conversation)/messages/\(bad)").status == 204)
    func pictureCount() throws -> Int {
      try scenario.instance.count("SELECT count(*) FROM message_pictures")
    }
    try pass(days: 40)
    let moderator = try scenario.instance.moderator()
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.get(found).shows("Buy my coins"))
    #expect(moderator.decide(found, "dismiss").status == 303)
    try pass(days: 29)
    #expect(try pictureCount() == 1 && textCount() == 1)
    try pass(days: 2)
    #expect(try pictureCount() == 0 && textCount() == 0)
    #expect(try scenario.instance.mediaFiles().filter { $0.hasPrefix("messages/") } == [])
    #expect(
      try scenario.instance.count("SELECT count(*) FROM messages WHERE text_sealed IS NULL") == 1)
  }

  @Test("An appeal keeps it until it is decided")
  func appealed() throws {
    let moderator = try scenario.instance.moderator()
    try report(sent("Buy my coins"), by: scenario.cy)
    let found = try scenario.instance.onlyCase(moderator)
    #expect(moderator.decide(found, "hide").status == 303)
    let appeal = try #require(
      scenario.ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/)?.output.1)
    #expect(scenario.ann.post(String(appeal), ["words": "It was a joke"]).status == 303)
    try pass(days: 40)
    #expect(try textCount() == 1)
  }

  @Test("Of many texts of one message the first and the newest 120 stay")
  func many() throws {
    let instance = scenario.instance
    let moderator = try instance.moderator()
    let bad = try sent("Text-1.")
    try report(bad, by: scenario.ben)
    let id = try #require(ID<Message>(bad))
    let now = instance.clock.now()
    let store = MessageStore(database: instance.database, keys: instance.instance.site.keys)
    try instance.database.write { writer in
      for number in 2...124 {
        try store.edit(id, text: "Text-\(number).", now: now, in: writer)
        try MessageReportStore(messages: store).noteReport(of: id, now: now, in: writer)
      }
    }
    #expect(try textCount() == 121)
    let page = moderator.get(try instance.onlyCase(moderator))
    for number in [1, 5, 123, 124] { #expect(page.shows("Text-\(number)."), "\(number)") }
    for number in 2...4 { #expect(!page.shows("Text-\(number)."), "\(number)") }
  }

  @Test("The author’s partner pushes out nothing that another one has reported")
  func pushedOut() throws {
    let moderator = try scenario.instance.moderator()
    let bad = try reportedTwice()
    for number in 1...39 {
      edit(bad, "Harmless \(number)")
      try withdraw(by: scenario.ben)
      try report(bad, by: scenario.ben)
    }
    #expect(moderator.get(try scenario.instance.onlyCase(moderator)).shows("Buy my coins"))
  }

  @Test("A withdrawn report takes the text that was stored with it")
  func withdrawn() throws {
    let bad = try sent("Buy my coins")
    try report(bad, by: scenario.cy)
    #expect(try textCount() == 1)
    try withdraw(by: scenario.cy)
    #expect(try textCount() == 0)
  }
}
