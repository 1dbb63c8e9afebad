import Core
import Database
import HTTPTypes
import Testing

@testable import App

@Suite("Cost of messages")
struct MessageCostTests {
  @Test("Both unread counts of a page are one statement")
  func counts() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ben.message("Good morning", to: try ann.coupleID())
    #expect(ann.get("/settings").status == 200)
    let counting = log.all.filter { $0.contains("conversation_members_unread") }
    #expect(counting.count == 1 && counting.allSatisfy { $0.contains("FROM notifications") })
  }

  @Test("A search that finds 12 messages takes as many statements as one that finds two")
  func search() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let id = try ann.coupleID()
    func statements(_ wanted: Int, in conversation: String) -> Int {
      let path = "/conversations/search?q=station\(conversation)"
      _ = ann.call(.get, path)
      let before = log.count
      #expect(ann.call(.get, path).list("hits").count == wanted)
      return log.count - before
    }
    for number in 1...2 { ben.message("Station \(number)", to: id) }
    let few = ["", "&conversation_id=\(id)"].map { statements(2, in: $0) }
    for number in 3...12 { ben.message("Station \(number)", to: id) }
    #expect(["", "&conversation_id=\(id)"].map { statements(12, in: $0) } == few)
  }

  @Test("A list of 25 conversations takes as many statements as one of three")
  func list() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let sent = ben.message(
      "Good morning", to: try ann.coupleID(), pictures: [SmallPicture.png])
    try #require(sent.status == 201, "\(sent.text)")
    func write(to numbers: Range<Int>) throws {
      for number in numbers {
        let name = "Couple \(number)"
        try instance.couple(name, "a\(number)", "b\(number)")
        let couple = try instance.database.read {
          try $0.value("SELECT id FROM couples WHERE name = \(name)", as: ID<Couple>.self)
        }
        let id = try #require(couple).description
        #expect(try ann.writeTo(id, "Hello").status == 201)
      }
    }
    func statements() -> [Int] {
      ["/messages", "/api/v1/conversations?limit=30"].map { path in
        // The first request may read what is then kept.
        _ = ann.get(path)
        let before = log.count
        #expect(ann.get(path).status == 200)
        return log.count - before
      }
    }
    try write(to: 0..<2)
    #expect(ann.call(.get, "/conversations?limit=30").list("conversations").count == 3)
    let few = statements()
    try write(to: 2..<24)
    #expect(ann.call(.get, "/conversations?limit=30").list("conversations").count == 25)
    let many = statements()
    #expect(many == few)
    // The list itself has everything of each conversation.
    let rows = ann.call(.get, "/conversations?limit=30").list("conversations")
    #expect(rows.allSatisfy { $0["latest"] is [String: Any] })
    #expect(Set(rows.compactMap { $0["title"] as? String }).count == 25)
  }
}
