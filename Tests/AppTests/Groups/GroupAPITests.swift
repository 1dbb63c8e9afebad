import Core
import Database
import Foundation
import Testing
import Web

@testable import App

@Suite("Groups by the API")
struct GroupAPITests {
  @Test("A group is made, joined, looked at and left")
  func way() throws {
    let instance = try TestInstance()
    for name in ["lea", "fay"] { try instance.alone(name) }
    let (lea, fay) = (try instance.signedIn("lea"), try instance.signedIn("fay"))
    let made = lea.call(.post, "/groups", #"{"name":"Harvest Walk"}"#)
    #expect(made.status == 201 && made.json["is_active"] as? Bool == true)
    #expect(made.json["invite_expires_at"] as? String == "2026-03-03T00:00:00.000Z")
    #expect(made.member("Lea")?["role"] as? String == "leader")
    let code = try #require(made.json["invite_code"] as? String)
    let group = TestGroup(page: "/groups/\(made.json["id"] as? String ?? "")")
    for _ in 0..<2 {
      let joined = fay.call(.post, "/groups/join", #"{"code":"\#(code)","display_name":"Other"}"#)
      #expect(joined.status == 200 && joined.members.count == 2)
      #expect(joined.json["invite_code"] is NSNull && joined.member("Fay") != nil)
    }
    #expect(fay.call(.get, "/groups").list("groups").count == 1)
    #expect(fay.call(.patch, group.call, #"{"name":"Mine"}"#).status == 403)
    #expect(lea.call(.patch, group.call, #"{"name":""}"#).status == 422)
    let renamed = lea.call(.patch, group.call, #"{"name":"Night Walk"}"#)
    #expect(renamed.json["name"] as? String == "Night Walk")
    let renewed = lea.call(.post, "\(group.call)/invite")
    #expect(renewed.status == 200 && renewed.json["invite_code"] as? String != code)
    #expect(fay.call(.post, "\(group.call)/leave").status == 204)
    #expect(fay.group(group).status == 404)
    #expect(lea.call(.post, "\(group.call)/close").json["is_active"] as? Bool == false)
    #expect(lea.call(.post, "\(group.call)/invite").code == "group_closed")
  }

  @Test("A version that is known answers 304, an older one all that led to the present")
  func versions() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let known = fay.group(group).version
    let same = fay.group(group, since: known)
    #expect(same.status == 304 && same.text.isEmpty)
    lea.call(.post, "\(group.call)/commands", #"{"kind":"rest","note":"Ten minutes"}"#)
    fay.share(25, 121, with: group)
    let observer = fay.group(group, since: known)
    #expect(
      observer.kinds == ["rest", "sharing"]
        && observer.events.first?["note"] as? String == "Ten minutes")
    // A location is no event, but a new version.
    #expect(observer.version == known + 3)
    #expect(fay.group(group, since: observer.version).status == 304)
    try instance.alone("sam")
    #expect(try instance.signedIn("sam").group(group, since: known).status == 404)
  }

  @Test("A member's own picture is included, at the URL that pages show")
  func avatars() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    #expect(lea.group(group).member("Fay")?["avatar_url"] is NSNull)
    fay.upload(
      "/settings/profile", [("display_name", "Fay")], files: [("avatar", SmallPicture.png)])
    let address = try #require(lea.group(group).member("Fay")?["avatar_url"] as? String)
    let path = try #require(
      lea.get(group.page).text.firstMatch(of: /<img class="avatar" src="([^"]*)"/)?.output.1)
    #expect(address == "http://127.0.0.1:8099\(path)")
    #expect(lea.get(String(path)).status == 200)
  }

  @Test("The list has each group as if queried alone, with its own members and waypoints")
  func list() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    // A group of hers, a group of his, and one with her as the only member.
    let (own, foreign) = (try lea.makeGroup("Own"), try fay.makeGroup("Foreign"))
    let empty = try lea.makeGroup("Empty")
    for (leader, group, name) in [
      (lea, group, "Tea house"), (lea, group, "Gate"), (lea, own, "Bridge"), (fay, foreign, "Well"),
    ] {
      // Ordered by creation time.
      instance.clock.advance(seconds: 1)
      let point = #"{"name":"\#(name)","latitude":25.03,"longitude":121.5}"#
      try #require(leader.call(.post, "\(group.call)/waypoints", point).status == 201)
    }
    fay.share(25, 121, with: group)
    let list = lea.call(.get, "/groups").list("groups")
    #expect(Set(list.map { $0["id"] as? String }) == [group.id, own.id, empty.id])
    for told in list {
      var alone = lea.call(.get, "/groups/\(told["id"] as? String ?? "")").json
      alone["events"] = [Any]()
      #expect(NSDictionary(dictionary: told) == NSDictionary(dictionary: alone))
    }
    let exercise = try #require(list.first { $0["id"] as? String == group.id })
    let (members, points) = (
      exercise["members"] as? [[String: Any]], exercise["waypoints"] as? [[String: Any]]
    )
    #expect(members?.compactMap { $0["display_name"] as? String } == ["Lea", "Fay"])
    #expect(members?.last?["location"] is [String: Any])
    #expect(points?.compactMap { $0["name"] as? String } == ["Tea house", "Gate"])
  }

  @Test("Five groups ask the database no more often than one")
  func statements() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    func asked(groups: Int) -> Int {
      let before = log.count
      #expect(lea.call(.get, "/groups").list("groups").count == groups)
      return log.count - before
    }
    func make() throws {
      let group = try lea.makeGroup()
      let point = #"{"name":"Tea house","latitude":25.03,"longitude":121.5}"#
      try #require(lea.call(.post, "\(group.call)/waypoints", point).status == 201)
    }
    try make()
    let one = asked(groups: 1)
    for _ in 0..<4 { try make() }
    #expect(asked(groups: 5) == one)
  }

  @Test("The lead, waypoints and commands answer as the table says")
  func commands() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let point = #"{"name":"Tea house","latitude":25.03,"longitude":121.5}"#
    #expect(fay.call(.post, "\(group.call)/waypoints", point).status == 403)
    let made = lea.call(.post, "\(group.call)/waypoints", point)
    #expect(made.status == 201)
    let path = "\(group.call)/waypoints/\(made.json["id"] as? String ?? "")"
    #expect(lea.call(.put, "\(path)/active").status == 204)
    #expect(fay.group(group).json["active_waypoint_id"] as? String == made.json["id"] as? String)
    #expect(lea.call(.delete, "\(path)/active").status == 204)
    for _ in 0..<19 { lea.call(.post, "\(group.call)/waypoints", point) }
    let full = lea.call(.post, "\(group.call)/waypoints", point)
    #expect(full.status == 409 && full.code == "limit_reached")
    #expect(lea.call(.delete, path).status == 204 && lea.call(.delete, path).status == 404)
    #expect(fay.call(.post, "\(group.call)/commands", #"{"kind":"gather"}"#).status == 403)
    #expect(fay.call(.post, "\(group.call)/commands", #"{"kind":"need_help"}"#).status == 201)
    #expect(fay.call(.post, "\(group.call)/commands", #"{"kind":"closed"}"#).status == 422)
    let (own, other) = (lea.group(group).id(of: "Lea"), lea.group(group).id(of: "Fay"))
    #expect(lea.call(.delete, "\(group.call)/members/\(own)").code == "conflict")
    #expect(lea.call(.post, "\(group.call)/lead", #"{"user_id":"\#(other)"}"#).status == 200)
    #expect(lea.call(.post, "\(group.call)/lead", #"{"user_id":"\#(own)"}"#).status == 403)
    #expect(fay.call(.delete, "\(group.call)/members/\(own)").status == 204)
    #expect(lea.group(group).status == 404)
    #expect(fay.call(.post, "\(group.call)/members/\(own)/allow").status == 204)
    #expect(fay.call(.post, "\(group.call)/members/\(own)/allow").status == 404)
  }

  @Test("A guest of an app has the name given when joining")
  func guest() throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let group = try lea.makeGroup()
    let code = try lea.code(of: group)
    let app = instance.client()
    app.post("/auth/guest")
    #expect(app.post("/groups/join", ["code": code, "display_name": " "]).status == 422)
    #expect(app.post("/groups/join", ["code": code, "display_name": "Tavi"]).status == 200)
    #expect(lea.group(group).member("Tavi") != nil)
    #expect(instance.client().post("/groups/join", ["code": code]).status == 401)
  }

  @Test("The QR code is there as SVG and as a picture, for members who may invite")
  func squares() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let svg = lea.call(.get, "\(group.call)/invite.svg")
    #expect(svg.headers[.contentType] == "image/svg+xml" && svg.text.hasPrefix("<svg "))
    let png = lea.call(.get, "\(group.call)/invite.png")
    #expect(png.headers[.contentType] == "image/png" && png.body.starts(with: [0x89, 0x50, 0x4E]))
    for ending in ["svg", "png"] {
      #expect(fay.call(.get, "\(group.call)/invite.\(ending)").status == 403)
    }
  }

  @Test("A call that is repeated with its key makes one group")
  func repeated() throws {
    let instance = try TestInstance()
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let answers = (0..<2).map { _ in
      lea.call(.post, "/groups", #"{"name":"Walk"}"#, headers: [.idempotencyKey: "k"])
    }
    #expect(answers[0].text == answers[1].text)
    #expect(try instance.count("SELECT count(*) FROM groups") == 1)
  }
}
