import Core
import Groups
import Testing
import Web

@testable import App

@Suite("pairspot group")
struct GroupCommandTests {
  @Test("A group is listed, shown, and closed for its members")
  func end() throws {
    let instance = try TestInstance()
    let (lea, _, group) = try instance.exercise()
    let commands = GroupCommands(instance.instance)
    let listed = try #require(try commands.list().objects().first)
    let id = try #require(listed["id"] as? String)
    #expect(listed["name"] as? String == "Harvest Walk" && listed["leader"] as? String == "Lea")
    #expect(try commands.show(id).object()["members"] as? Int == listed["members"] as? Int)
    let before = try instance.contents()
    #expect(try commands.end(id, isDryRun: true).lines[0].hasPrefix("Dry run: the group Harvest"))
    #expect(try instance.contents() == before)
    #expect(try commands.end(id).lines[0].hasPrefix("Closed the group Harvest Walk with"))
    #expect(try commands.list().lines == ["There are no open groups."])
    #expect(try commands.show(id).object()["closed_at"] as? String != nil)
    #expect(try commands.end(id).lines == ["The group Harvest Walk is closed already."])
    #expect(lea.call(.post, "\(group.call)/invite").code == "group_closed")
    #expect(try instance.staffLog() == [StaffLogLine("group_end", "group")])
  }

  @Test("Members are told live and by a notice and a push, and not by a dry run")
  func notices() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.subscribe()
    let commands = GroupCommands(instance.instance)
    let id = try #require(try commands.list().objects().first?["id"] as? String)
    try instance.database.write { try $0.execute("DELETE FROM live_news") }
    _ = try commands.end(id, isDryRun: true)
    #expect(try instance.count("SELECT count(*) FROM live_news") == 0 && fay.notices() == [])
    _ = try commands.end(id)
    #expect(try instance.count("SELECT count(*) FROM live_news") > 0)
    let told = "Harvest Walk: The people who run this site closed the group"
    #expect(fay.notices() == [told] && lea.notices().contains(told))
    #expect(try instance.pushed().map(\.body) == ["Your group has a new leader or was closed."])
    #expect(fay.get(group.page).shows("This group is closed"))
  }

  @Test("An unknown group is refused")
  func unknown() throws {
    let commands = GroupCommands(try TestInstance().instance)
    for id in ["7", ID<Person>.random().description] {
      #expect(throws: OperatorGroups.UnknownGroup.self) { try commands.show(id) }
      #expect(throws: OperatorGroups.UnknownGroup.self) { try commands.end(id) }
    }
  }
}
