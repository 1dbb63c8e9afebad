import Core
import Database
import Testing

@testable import App

@Suite("A withdrawn report leaves no trace")
struct WithdrawalTests {
  @Test("Moderators may not see a post or comment any more whose only report was withdrawn")
  func forgotten() throws {
    let scenario = try ReportScenario()
    let instance = scenario.instance
    let comment = "/comments/" + (try scenario.ann.comment("Buy my coins", on: scenario.post))
    func reported() throws -> Int {
      try instance.count(
        """
        SELECT (SELECT count(*) FROM posts WHERE reported_at IS NOT NULL)
          + (SELECT count(*) FROM comments WHERE reported_at IS NOT NULL)
        """)
    }
    for thing in [scenario.post, comment] {
      #expect(scenario.sam.report(thing).status == 303)
      #expect(try reported() == 1)
      scenario.sam.post(try #require(scenario.sam.get("/settings/reports").undo))
      #expect(try reported() == 0)
    }
    scenario.tia.report(scenario.post)
    scenario.sam.report(scenario.post)
    scenario.sam.post(try #require(scenario.sam.get("/settings/reports").undo))
    #expect(try reported() == 1)
  }

  @Test("A case that a withdrawn report had opened again is as before, and so is what follows")
  func round() throws {
    let scenario = try ReportScenario()
    let (instance, post) = (scenario.instance, scenario.post)
    scenario.sam.report(post, "nudity")
    instance.clock.advance(seconds: 60)
    scenario.tia.report(post, "other", note: "They sell what isn’t theirs")
    let mo = try instance.moderator()
    let uwe = try instance.members("uwe")[0]
    let path = try instance.onlyCase(mo)
    mo.decide(path, "dismiss", note: "")
    instance.clock.advance(seconds: 60)
    uwe.report(post, "violence")
    #expect(mo.get(path).shows("<span>Violence</span>") && !mo.get(path).shows("They sell what"))
    uwe.post(try #require(uwe.get("/settings/reports").undo))
    let shown = mo.get(path)
    #expect(shown.shows("They sell what") && !shown.shows("<span>Violence</span>"))
    #expect(shown.text.matches(of: /<li>member since today/).count == 2)
    func isAsBefore() throws -> Bool {
      try instance.count(
        """
        SELECT count(*) FROM report_cases WHERE round = 1 AND reporters = 2
          AND waiting_since = (SELECT min(created_at) FROM reports)
        """) == 1
    }
    #expect(try isAsBefore())
    #expect(mo.post(try #require(shown.undo)).status == 303)
    #expect(try isAsBefore() && instance.onlyCase(mo) == path)
    for reporter in [scenario.sam, scenario.tia] {
      #expect(reporter.get("/settings/reports").shows("Waiting for a moderator"))
    }
    for check in instance.instance.doctorChecks {
      #expect(try check.find(instance.database) == [], "\(check.name)")
    }
  }
}
