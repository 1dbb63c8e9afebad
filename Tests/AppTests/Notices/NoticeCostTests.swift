import Core
import Database
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Cost of notices")
struct NoticeCostTests {
  @Test("Notifying 249 members of a group takes as many statements as notifying two")
  func group() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    let (lea, fay, group) = try instance.exercise()
    lea.subscribe()
    /// Number of statements for one call by the leader, while another one is unread.
    func cost(_ kind: String) -> Int {
      let before = log.count
      #expect(lea.post("\(group.page)/commands", ["kind": kind]).status == 303)
      return log.count - before
    }
    let few = cost("gather")
    #expect(fay.notices().count == 1)
    try instance.fill(group)
    let many = cost("rest")
    #expect(many <= few, "\(few) for one, \(many) for 249")
    #expect(try instance.count("SELECT count(*) FROM notifications WHERE event = 'rest'") == 249)
    // A new member joins while the other notices are unread.
    let left = log.count
    fay.post("\(group.page)/leave")
    #expect(log.count - left < 60, "\(log.count - left)")
    #expect(
      try instance.count(
        "SELECT count(*) FROM notifications WHERE kind = 'group_member' AND event = 'left'") == 249)
  }

  @Test(
    "A like writes as few rows after twenty others as after one",
    .onSQLite("it counts changes of rows"))
  func gathered() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ben = try instance.signedIn("ben")
    let post = try ben.write("Here we are")
    func changes() throws -> Int {
      try instance.database.write { try $0.count("SELECT total_changes()") }
    }
    var costs: [Int] = []
    for number in 0...20 {
      try instance.alone("fan\(number)")
      let fan = try instance.signedIn("fan\(number)")
      instance.clock.advance(seconds: 1)
      let before = try changes()
      #expect(fan.post("\(post)/like").status == 303)
      costs.append(try changes() - before)
    }
    #expect(costs[20] <= costs[1], "\(costs)")
    #expect(ben.notices().first == "Fan20 and 20 others liked your post")
  }

  @Test(
    "The badge in the header is one index lookup, and is in no shared cache",
    .onSQLite("these are SQLite's plans"))
  func header() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    for number in 1...120 { try ben.write("Post \(number)") }
    let page = ann.get("/settings/language")
    #expect(page.shows("data-testid=\"unread\">99+<"))
    // No notice has been viewed yet: only the header's badge was queried.
    let asked = log.all.filter { $0.hasPrefix("SELECT") && $0.contains("FROM notifications ") }
    #expect(asked.count == 1)
    let plan = try instance.plan(of: try #require(asked.first))
    #expect(plan.contains { $0.contains("notifications_unread") })
    for path in ["/", "/workouts", "/groups", "/checkin"] {
      let answer = ann.get(path)
      let control = answer.headers[.cacheControl] ?? ""
      #expect(answer.shows("data-testid=\"unread\""), "\(path)")
      #expect(control.contains("no-store") || control.contains("private"), "\(path): \(control)")
    }
    for path in ["/", "/sign-in"] {
      #expect(!instance.browser().get(path).shows("data-testid=\"unread\""), "\(path)")
    }
  }
}
