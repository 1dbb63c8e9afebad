import Foundation
import Notices
import Testing

@testable import App

@Suite("Notices about groups")
struct GroupNoticeTests {
  /// Sets a waypoint and makes it the next stop; returns its identifier.
  private func setStop(
    _ name: String, by leader: TestClient, in group: TestGroup
  ) throws -> String {
    let added = leader.call(
      .post, "\(group.call)/waypoints",
      #"{"name":"\#(name)","latitude":25.03,"longitude":121.56}"#)
    let points = try #require(added.json["waypoints"] as? [[String: Any]] ?? [added.json])
    let id = try #require(points.last?["id"] as? String, "\(added.text)")
    #expect(leader.call(.put, "\(group.call)/waypoints/\(id)/active").status < 300)
    return id
  }

  @Test("A new next stop is in the members' notices with its name, and pushed without it")
  func nextStop() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    lea.post("/notifications/read", ["up_to": lea.noticeIDs().first ?? ""])
    fay.subscribe()
    let stop = try setStop("Tea house", by: lea, in: group)
    #expect(fay.notices() == ["Harvest Walk: Next stop: Tea house"])
    #expect(try instance.pushed().map(\.body) == ["Your group has a new next stop."])
    #expect(lea.unread() == "")
    lea.call(.delete, "\(group.call)/waypoints/\(stop)/active")
    #expect(fay.notices().count == 1)
  }

  @Test("A new leader is notified, appointed by the old one or after that one has left")
  func newLeader() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let members = lea.group(group)
    let id = try #require(members.member("Fay")?["user_id"] as? String)
    fay.subscribe()
    lea.post("\(group.page)/members/\(id)/lead")
    #expect(fay.notices() == ["Harvest Walk: You’re now the leader"])
    #expect(try instance.pushed().map(\.body) == ["Your group has a new leader or was closed."])
    #expect(lea.notices().allSatisfy { !$0.contains("You lead") })
    instance.clock.advance(seconds: 1)
    fay.post("\(group.page)/leave")
    #expect(lea.notices().contains("Harvest Walk: You’re now the leader"))
  }

  @Test("Members are notified of the end of a group, and keep it when its calls are deleted")
  func closed() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    lea.post("\(group.page)/commands", ["kind": "gather"])
    fay.subscribe()
    #expect(lea.post("\(group.page)/close").status == 303)
    #expect(fay.notices() == ["Harvest Walk: Lea closed the group"])
    #expect(try instance.pushed().map(\.body) == ["Your group has a new leader or was closed."])
    #expect(lea.notices().allSatisfy { !$0.contains("closed") })
  }

  @Test("With calls turned off, emergencies and cries for help still come through")
  func emergencies() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    lea.subscribe("one")
    fay.subscribe("two")
    let kinds = ["group_member", "group_emergency", "group_waypoint", "group_change", "check_in"]
    let settings = fay.get("/settings/notifications").text
    for kind in kinds + ["group_call"] { #expect(settings.contains("value=\"\(kind)\" checked")) }
    for browser in [fay, lea] {
      let ticks = kinds.flatMap { [("on_page", $0), ("by_push", $0)] }
      #expect(browser.post("/settings/notifications", all: ticks).status == 303)
    }
    lea.post("\(group.page)/commands", ["kind": "gather"])
    #expect(fay.notices() == [])
    lea.post("\(group.page)/commands", ["kind": "emergency"])
    #expect(fay.notices() == ["Harvest Walk: Lea sent an emergency alert"])
    instance.clock.advance(seconds: 1)
    fay.post("\(group.page)/commands", ["kind": "need_help"])
    #expect(lea.notices().first == "Harvest Walk: Fay needs help")
    let pushed = try instance.pushed()
    #expect(
      pushed.map(\.body) == Array(repeating: "Emergency in your group.", count: 2))
    #expect(pushed.allSatisfy { $0.urgency == .high })
  }
}
