import Core
import Database
import Foundation
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Making, joining and leaving groups")
struct GroupTests {
  // MARK: Making

  @Test("The creator of a group leads it, and is shown its code; guests may too")
  func making() throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    for browser in [try instance.signedIn("lea"), try instance.guest("Gia")] {
      let cards = browser.get("/groups")
      #expect(cards.shows("Enter the leader’s code.") && cards.shows("You lead it: invite"))
      let group = try browser.makeGroup("Harvest Walk")
      #expect(browser.get("/groups").shows("You’re the leader · 1 person"))
      #expect(browser.get(group.page).shows("Leader"))
      #expect(try browser.code(of: group).count == 7)
    }
  }

  @Test("A group has a name of 1 to 60 characters", arguments: ["", "  ", "x".repeated(61)])
  func names(name: String) throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let answer = lea.post("/groups", ["name": name])
    #expect(answer.status == 422 && answer.shows("error-summary"))
    #expect(try instance.count("SELECT count(*) FROM groups") == 0)
    #expect(lea.post("/groups", ["name": "字".repeated(60)]).status == 303)
  }

  @Test("Groups are visible to their members only")
  func hidden() throws {
    let instance = try TestInstance()
    let (_, fay, group) = try instance.exercise()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for path in ["", "/settings", "/invite", "/leave", "/close", "/emergency"] {
      #expect(sam.get(group.page + path).status == 404)
    }
    for path in ["/settings", "/leave"] { #expect(fay.get(group.page + path).status == 200) }
    for path in ["/invite", "/close", "/emergency"] {
      #expect(fay.get(group.page + path).status == 403)
    }
    #expect(instance.browser().get(group.page).status == 303)
  }

  // MARK: Joining

  @Test("Viewing the invitation does not join; confirming does, once")
  func joining() throws {
    let instance = try TestInstance()
    for name in ["lea", "fay"] { try instance.alone(name) }
    let (lea, fay) = (try instance.signedIn("lea"), try instance.signedIn("fay"))
    let group = try lea.makeGroup("Harvest Walk")
    let code = try lea.code(of: group)
    let page = fay.get("/join?code=\(TestClient.encoded(code))&name=Another%20name")
    #expect(page.status == 200 && page.shows("Join Harvest Walk?") && page.shows("Lea"))
    #expect(!page.shows("Another name"))
    #expect(fay.get(group.page).status == 404)
    for _ in 0..<2 { #expect(fay.join(code).location == group.page) }
    #expect(try instance.count("SELECT count(*) FROM group_members") == 2)
    #expect(
      fay.get("/join?code=\(TestClient.encoded(code))").shows("You’re already in Harvest Walk"))
  }

  @Test("A visitor without an account joins with a name, and gets a recovery code")
  func guests() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let group = try lea.makeGroup()
    let code = try lea.code(of: group)
    let nameless = instance.browser()
    #expect(nameless.join(code, as: "").status == 422)
    #expect(!nameless.isSignedIn)
    // More than five an hour from one address: a whole hiking group.
    for number in 1...12 {
      #expect(instance.browser().join(code, as: "Guest \(number)").location == group.page)
    }
    #expect(lea.group(group).members.count == 13)
    let last = instance.browser()
    last.join(code, as: "Tavi")
    #expect(last.get(group.page).shows("Tavi") && last.get("/settings/recovery-code").status == 200)
  }

  @Test(
    "A code is understood as people type, paste and scan it",
    arguments: [
      "%", " % ", "lower", "hither://join?code=%&name=Group%20Name",
      "https://elsewhere.example/join?code=%", "/join?name=x&code=%#end",
    ])
  func entered(shape: String) throws {
    let instance = try TestInstance()
    for name in ["lea", "fay"] { try instance.alone(name) }
    let (lea, fay) = (try instance.signedIn("lea"), try instance.signedIn("fay"))
    let code = try lea.code(of: lea.makeGroup()).replacing(" ", with: "")
    let text =
      shape == "lower" ? code.lowercased() : shape.replacing("%", with: code, maxReplacements: 1)
    #expect(fay.get("/join?code=\(TestClient.encoded(text))").shows("Join Harvest Walk?"))
  }

  @Test("Each way not to get in has its page and its code")
  func refusals() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    func check(
      _ who: TestClient, _ code: String, _ status: Int, _ name: String, _ words: String
    ) {
      let encoded = TestClient.encoded(code)
      let page = who.get("/join?code=\(encoded)")
      #expect(page.status == status && page.shows(words), "\(page.status)")
      #expect(who.join(code).status == status)
      let call = who.call(.post, "/groups/join", #"{"code":"\#(code)"}"#)
      #expect(call.status == status && call.code == name)
    }
    check(sam, "AAAAAA", 404, "not_found", "Group not found")
    #expect(sam.get("/join?code=12").status == 422)
    // Removed, until allowed again.
    let person = lea.group(group).id(of: "Fay")
    let code = try lea.code(of: group)
    lea.post("\(group.page)/members/\(person)/remove")
    check(fay, code, 403, "removed_from_group", "You were removed from this group")
    lea.post("\(group.page)/members/\(person)/allow")
    #expect(fay.join(code).location == group.page)
    // Turned off.
    lea.post(group.invite, ["button": "joining", "joining": "0"])
    check(sam, code, 410, "invite_expired", "This code has expired")
    lea.post(group.invite, ["button": "joining", "joining": "1"])
    // Renewed: the old code is unknown.
    lea.post(group.invite, ["button": "renew"])
    check(sam, code, 404, "not_found", "Group not found")
    // Expired.
    let new = try lea.code(of: group)
    instance.clock.advance(seconds: 24 * 3600)
    check(sam, new, 410, "invite_expired", "This code has expired")
    #expect(lea.get(group.invite).shows("This code has expired"))
    // Full.
    lea.post(group.invite, ["button": "renew"])
    let last = try lea.code(of: group)
    try instance.fill(group)
    check(sam, last, 409, "group_full", "This group is full")
    // Closed.
    #expect(lea.post("\(group.page)/close").location == "/groups")
    check(sam, last, 410, "group_closed", "This group is closed")
  }

  @Test("After ten unknown codes valid ones are refused too, for a while")
  func guessing() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let code = try lea.code(of: lea.makeGroup())
    let stranger = instance.browser()
    for _ in 1...20 {
      #expect(stranger.get("/join?code=\(TestClient.encoded(code))").status == 200)
    }
    for number in 0..<10 {
      #expect(stranger.get("/join?code=AAAAA\(2 + number % 8)").status == 404)
    }
    for path in ["AAAAAA", TestClient.encoded(code)] {
      let answer = stranger.get("/join?code=\(path)")
      #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    }
    #expect(stranger.join(code, as: "Tavi").status == 429)
    instance.clock.advance(seconds: 61)
    #expect(stranger.get("/join?code=\(TestClient.encoded(code))").status == 200)
    // Thirty an hour.
    for _ in 1...2 {
      for _ in 1...10 { stranger.get("/join?code=AAAAAA") }
      instance.clock.advance(seconds: 61)
    }
    #expect(stranger.get("/join?code=AAAAAA").status == 429)
    instance.clock.advance(seconds: 3600)
    #expect(stranger.get("/join?code=AAAAAA").status == 404)
  }

  @Test("Followers see the code when the leader says so")
  func inviting() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    #expect(fay.get(group.invite).status == 403)
    #expect(fay.group(group).json["invite_code"] is NSNull)
    lea.post("\(group.page)/settings", ["name": "Harvest Walk", "members_invite": "1"])
    #expect(try fay.code(of: group) == lea.code(of: group))
    #expect(fay.group(group).json["invite_code"] is String)
    #expect(fay.post(group.invite, ["button": "renew"]).status == 403)
    lea.post("\(group.page)/settings", ["name": "Walk"])
    #expect(fay.get(group.invite).status == 403 && fay.get(group.page).shows("Walk"))
  }

  // MARK: Leaving

  @Test("A leader who leaves hands over to the longest-standing member; the last one closes it")
  func accountDeletion() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    instance.clock.advance(seconds: 60)
    kim.join(try lea.code(of: group))
    #expect(lea.get("\(group.page)/leave").shows("Fay will be the new leader"))
    #expect(lea.post("\(group.page)/leave").location == "/groups")
    #expect(lea.get(group.page).status == 404)
    let state = kim.group(group)
    #expect(state.json["leader_id"] as? String == state.id(of: "Fay"))
    #expect(state.kinds.suffix(2) == ["left", "leads"])
    kim.post("\(group.page)/leave")
    #expect(fay.get("\(group.page)/leave").shows("the group closes"))
    fay.post("\(group.page)/leave")
    #expect(
      try instance.count(
        "SELECT count(*) FROM groups WHERE leader_id IS NULL AND closed_at IS NOT NULL") == 1)
  }

  @Test("The lead can be handed to another member only")
  func handingOver() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let sam = try instance.alone("sam")
    let person = lea.group(group).id(of: "Fay")
    #expect(fay.post("\(group.page)/members/\(person)/lead").status == 403)
    #expect(lea.post("\(group.page)/members/\(sam.id)/lead").status == 404)
    #expect(lea.get("\(group.page)/members/\(person)/lead").shows("Make Fay the leader?"))
    #expect(lea.post("\(group.page)/members/\(person)/lead").location == group.page)
    let state = lea.group(group)
    #expect(state.json["leader_id"] as? String == person)
    #expect(state.members.filter { $0["role"] as? String == "leader" }.count == 1)
    #expect(lea.post("\(group.page)/close").status == 403)
    #expect(fay.post("\(group.page)/close").status == 303)
  }

  @Test("A closed group can be looked at and left, and nothing else")
  func closed() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    lea.post("\(group.page)/close")
    #expect(fay.get(group.page).shows("This group is closed"))
    for (path, fields) in [
      ("/sharing", [("on", "1")]), ("/commands", [("kind", "on_my_way")]),
    ] {
      #expect(fay.post(group.page + path, all: fields).status == 410)
    }
    #expect(lea.post(group.invite, ["button": "renew"]).status == 410)
    #expect(lea.get(group.invite).status == 410)
    #expect(fay.post("\(group.page)/leave").location == "/groups")
    #expect(!fay.get("/groups").shows("Harvest Walk"))
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM groups") == 0)
    #expect(try instance.count("SELECT count(*) FROM group_events") == 0)
  }

  // MARK: Waypoints and commands

  @Test("The leader sets up to 20 points, of which one is active")
  func waypoints() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let action = "\(group.page)/waypoints"
    let fields: [(String, String)] = [
      ("name", "Tea house"), ("place", "25,0372 121.5637"),
    ]
    #expect(fay.post(action, all: fields).status == 403)
    for wrong in ["91", "x", "", "nan", "1e400"] {
      let answer = lea.post(
        action, ["name": "Tea house", "place": "\(wrong), 121"])
      #expect(answer.status == 422 && answer.shows("Enter coordinates such as"), "\(wrong)")
    }
    for _ in 0..<20 { #expect(lea.post(action, all: fields).status == 303) }
    #expect(lea.post(action, all: fields).status == 409)
    let all = lea.group(group).json["waypoints"] as? [[String: Any]] ?? []
    #expect(all.count == 20 && all.first?["latitude"] as? Double == 25.0372)
    let ids = all.compactMap { $0["id"] as? String }
    for id in ids.prefix(2) { lea.post("\(action)/\(id)", ["button": "active"]) }
    #expect(fay.group(group).json["active_waypoint_id"] as? String == ids[1])
    let ask = "\(group.page)?ask=\(ids[1])"
    #expect(lea.get(group.page).shows("href=\"\(ask)\"") && !fay.get(group.page).shows("?ask="))
    let question = lea.get(ask)
    #expect(question.shows("Remove Tea house?") && question.shows("\(action)/\(ids[1])\""))
    #expect(question.value(of: "button") == "remove")
    #expect(fay.get(ask).status == 403)
    lea.post("\(action)/\(ids[1])", ["button": "remove"])
    #expect(lea.get(ask).status == 404)
    #expect(fay.group(group).json["active_waypoint_id"] is NSNull)
    #expect(fay.post("\(action)/\(ids[0])", ["button": "remove"]).status == 403)
    #expect(lea.post("\(action)/\(ids[1])", ["button": "active"]).status == 404)
  }

  @Test("Commands are for the leader, answers for all, and all are in the log")
  func commands() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    // A line says what the buttons do, until they are used for the first time.
    let hint = "One tap tells everyone in the group."
    #expect(lea.get(group.page).shows(hint) && fay.get(group.page).shows(hint))
    for kind in ["gather", "move", "rest", "return", "emergency"] {
      let action = "\(group.page)/commands"
      #expect(fay.post(action, ["kind": kind]).status == 403)
      #expect(lea.post(action, ["kind": kind, "note": "By the gate"]).status == 303)
    }
    #expect(!lea.get(group.page).shows(hint) && fay.get(group.page).shows(hint))
    for kind in ["on_my_way", "need_help"] {
      #expect(fay.post("\(group.page)/commands", ["kind": kind]).status == 303)
    }
    #expect(lea.post("\(group.page)/commands", ["kind": "closed"]).status == 400)
    let long = lea.post("\(group.page)/commands", ["kind": "rest", "note": "x".repeated(201)])
    #expect(long.status == 422)
    let page = fay.get(group.page)
    #expect(
      page.shows("Lea: emergency") && page.shows("Fay needs help") && page.shows("By the gate"))
    #expect(
      lea.group(group).kinds.suffix(7) == [
        "gather", "move", "rest", "return", "emergency", "on_my_way", "need_help",
      ])
    #expect(lea.get("\(group.page)/emergency").shows("This doesn’t call emergency services"))
  }

  @Test("A member who called for help can say that they are OK again")
  func isOK() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let (help, isOK) = ("value=\"need_help\"", "value=\"is_ok\"")
    #expect(fay.get(group.page).shows(help) && !fay.get(group.page).shows(isOK))
    for round in 1...2 {
      fay.post("\(group.page)/commands", ["kind": "need_help"])
      #expect(fay.get(group.page).shows(isOK) && !fay.get(group.page).shows(help), "\(round)")
      #expect(!lea.get(group.page).shows(isOK))
      instance.clock.advance(seconds: 1)
      #expect(fay.post("\(group.page)/commands", ["kind": "is_ok"]).status == 303)
      #expect(fay.get(group.page).shows(help) && !fay.get(group.page).shows(isOK), "\(round)")
      #expect(lea.notices().first == "Harvest Walk: Fay is OK")
      instance.clock.advance(seconds: 1)
    }
    #expect(lea.get(group.page).shows("Fay is OK"))
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}

extension TestInstance {
  /// Fills a group up to its limit with generated users.
  func fill(_ group: TestGroup) throws {
    let id = try #require(ID<Groups.Group>(group.id))
    let now = clock.now()
    let count = try count("SELECT count(*) FROM group_members WHERE group_id = \(id)")
    for number in count..<250 {
      let person = ID<Person>.random()
      try database.write { writer in
        try writer.execute(
          """
          INSERT INTO users (id, role, display_name, terms_version, terms_accepted_at, created_at)
          VALUES (\(person), 1, \("Walker \(number)"), '', \(now), \(now))
          """)
        try instance.features.groups.services.writing.join(person, id, now: now, in: writer)
      }
    }
  }
}
