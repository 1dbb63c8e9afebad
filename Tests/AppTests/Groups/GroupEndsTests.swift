import Core
import Database
import Foundation
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Endings and limits of groups")
struct GroupEndsTests {
  @Test("A new code's answer is not stored: repeated with its key, stopped members are not shown")
  func noKeptPlaces() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.033, 121.5654, with: group)
    let invite = "\(group.call)/invite"
    let first = lea.call(.post, invite, headers: [.idempotencyKey: "k"])
    #expect(first.text.contains("25.033"))
    fay.call(.put, "\(group.call)/sharing", #"{"on":false}"#)
    let again = lea.call(.post, invite, headers: [.idempotencyKey: "k"])
    #expect(again.status == 200 && !again.text.contains("25.033"))
  }

  @Test("Signing out on the last browser ends sharing; on another one it does not")
  func signingOut() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let phone = try instance.signedIn("fay")
    phone.share(25.033, 121.5654, with: group)
    #expect(fay.post("/sign-out").status == 303)
    #expect(lea.group(group).place(of: "Fay") != nil)
    #expect(phone.post("/sign-out").status == 303)
    #expect(lea.group(group).place(of: "Fay") == nil)
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
  }

  @Test("Ending all sessions of a member ends sharing from the next minute on")
  func endedElsewhere() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.033, 121.5654, with: group)
    try instance.work()
    #expect(lea.group(group).place(of: "Fay") != nil)
    try instance.database.write {
      try $0.execute(
        """
        DELETE FROM sessions WHERE user_id = (SELECT id FROM users WHERE display_name = 'Fay')
        """)
    }
    instance.clock.advance(seconds: 61)
    try instance.work()
    #expect(lea.group(group).place(of: "Fay") == nil)
  }

  @Test("A clock that was set back blocks no location")
  func clockSetBack() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.033, 121.5654, with: group)
    instance.clock.advance(seconds: -3600)
    #expect(fay.put(25.044, 121.5654, in: group).status == 204)
    #expect(lea.group(group).place(of: "Fay")?["latitude"] as? Double == 25.044)
  }

  @Test("Extending the sharing is not in the log")
  func sharingOn() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.033, 121.5654, with: group)
    let version = lea.group(group).version
    instance.clock.advance(seconds: 3600)
    let again = fay.call(.put, "\(group.call)/sharing", #"{"on":true}"#)
    #expect(again.json["until"] as? String == "2026-03-02T09:00:00.000Z")
    // The member's other devices are notified.
    #expect(lea.group(group, since: version).events.isEmpty)
    #expect(lea.group(group).version == version + 1)
  }

  @Test("A removed member is notified, and the old code is unknown if the leader wants it")
  func removing() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let code = try lea.code(of: group)
    let person = lea.group(group).id(of: "Fay")
    let path = "\(group.page)/members/\(person)/remove"
    #expect(lea.get(path).text.contains("name=\"renew\" value=\"1\" checked"))
    #expect(lea.post(path, ["renew": "1"]).status == 303)
    let page = fay.get(group.page)
    #expect(page.status == 403 && page.shows("You were removed from this group"))
    #expect(instance.browser().get("/join?code=\(code.replacing(" ", with: ""))").status == 404)
    let new = try lea.code(of: group)
    #expect(fay.join(new).status == 403)
  }

  @Test("A restored account is in its groups again, without sharing a place")
  func restored() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.033, 121.5654, with: group)
    fay.leave()
    #expect(lea.group(group).member("Fay") == nil)
    fay.comeBack("fay@example.test")
    #expect(fay.group(group).member("Fay")?["role"] as? String == "follower")
    #expect(lea.group(group).place(of: "Fay") == nil)
    #expect(try instance.problems() == [])
  }

  @Test("A group that closed with its only member opens when that member restores the account")
  func reopened() throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let group = try lea.makeGroup()
    lea.leave()
    lea.comeBack("lea@example.test")
    #expect(lea.group(group).member("Lea")?["role"] as? String == "leader")
    #expect(lea.get(group.invite).status == 200)
    #expect(try instance.problems() == [])
  }

  @Test("A group closed in between stays closed for a restored account")
  func closedMeanwhile() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.leave()
    lea.post("\(group.page)/close")
    fay.comeBack("fay@example.test")
    #expect(fay.group(group).status == 404)
    #expect(try instance.problems() == [])
  }

  @Test("The lead never goes to a suspended member while there is another")
  func successor() throws {
    let instance = try TestInstance()
    let (lea, _, group) = try instance.exercise()
    try instance.alone("gus")
    try instance.signedIn("gus").join(lea.code(of: group))
    try instance.database.write {
      try $0.execute(
        """
        UPDATE users SET suspended_until = \(instance.clock.now().adding(seconds: 86_400))
        WHERE display_name = 'Fay'
        """)
    }
    #expect(lea.post("\(group.page)/leave").status == 303)
    let gus = try instance.signedIn("gus")
    #expect(gus.group(group).member("Gus")?["role"] as? String == "leader")
    // The last member of all: a group with members isn't over.
    #expect(gus.post("\(group.page)/leave").status == 303)
    #expect(try instance.count("SELECT count(*) FROM groups WHERE closed_at IS NULL") == 1)
  }

  @Test("A name of signs that are thousands of code points is no name; one that fits has a square")
  func longNames() throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let marks = "a" + String(repeating: "\u{301}", count: 2000)
    #expect(lea.post("/groups", ["name": marks]).status == 422)
    let flags = String(repeating: "🏳️‍🌈", count: 60)
    let group = try lea.makeGroup(flags)
    #expect(lea.get(group.invite).status == 200)
    #expect(lea.call(.get, "\(group.call)/invite.svg").status == 200)
    #expect(lea.call(.get, "\(group.call)/invite.png").status == 200)
  }

  @Test("Words to the others, sharing and changes have their limits; switching off has none")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    let (lea, fay, group) = try instance.exercise()
    let commands = "\(group.call)/commands"
    for _ in 0..<20 {
      #expect(fay.call(.post, commands, #"{"kind":"need_help"}"#).status == 201)
    }
    #expect(fay.call(.post, commands, #"{"kind":"need_help"}"#).status == 429)
    // Another member's command is accepted.
    #expect(lea.call(.post, commands, #"{"kind":"emergency"}"#).status == 201)
    instance.clock.advance(seconds: 61)
    #expect(fay.call(.post, commands, #"{"kind":"need_help"}"#).status == 201)
    let sharing = "\(group.call)/sharing"
    for _ in 0..<60 { fay.call(.put, sharing, #"{"on":true}"#) }
    #expect(fay.call(.put, sharing, #"{"on":true}"#).status == 429)
    #expect(fay.call(.put, sharing, #"{"on":false}"#).status == 200)
  }

  @Test("Of very many events the latest are returned, in order")
  func manyEvents() throws {
    let instance = try TestInstance()
    let (lea, _, group) = try instance.exercise()
    try instance.database.write { writer in
      try writer.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
        INSERT INTO group_events (group_id, version, kind, created_at)
        SELECT g.id, n.i, 'need_help', 0 FROM n, groups g
        """)
      try writer.execute("UPDATE groups SET version = 700")
    }
    let events = lea.group(group, since: 1).events.compactMap { $0["version"] as? Int }
    #expect(events == Array(201...700))
  }

  @Test("A user can be in a hundred groups at most")
  func manyGroups() throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    for number in 0..<100 {
      #expect(lea.call(.post, "/groups", #"{"name":"Walk \#(number)"}"#).status == 201)
    }
    let refused = lea.call(.post, "/groups", #"{"name":"One more"}"#)
    #expect(refused.status == 409 && refused.code == "limit_reached")
    let page = lea.post("/groups", ["name": "One more"])
    #expect(page.status == 409 && page.shows("One more"))
  }

  @Test("A picture URL on another site uses up no attempts")
  func otherSites() throws {
    let instance = try TestInstance(limits: true)
    let visitor = instance.browser()
    for _ in 0..<12 {
      let answer = visitor.get(
        "/join?code=AAAAAA",
        headers: [.fetchSite: "cross-site", .fetchDestination: "image"])
      #expect(answer.status == 200)
    }
    #expect(visitor.get("/join?code=AAAAAA").status == 404)
  }

  @Test("The doctor finds data kept for too long, and members without a row")
  func doctor() throws {
    let instance = try TestInstance()
    let (_, fay, group) = try instance.exercise()
    fay.share(25.033, 121.5654, with: group)
    try instance.database.write { try $0.execute("UPDATE group_members SET sharing_until = 1") }
    #expect(try instance.problems().contains { $0.contains("8 h") })
    for check in instance.instance.doctorChecks { try check.repair?(instance.database) }
    #expect(try instance.problems() == [])
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
  }
}
