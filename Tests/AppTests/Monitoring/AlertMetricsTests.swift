import Core
import Testing

@testable import App
@testable import CheckIn

@Suite("Metrics that alerts of the monitoring need")
struct AlertMetricsTests {
  /// The value of a series of `/metrics`.
  private func value(_ series: String, _ instance: TestInstance) -> Int? {
    let lines = instance.browser().get("/metrics").text.split(separator: "\n")
    return lines.first { $0.hasPrefix("\(series) ") }.flatMap {
      Int($0.dropFirst(series.count + 1))
    }
  }

  @Test("Alerts are undelivered until a server accepts their mail, with the age of the oldest")
  func undelivered() throws {
    let instance = try TestInstance()
    try instance.watched()
    try instance.goQuiet()
    let (count, age) = (
      "pairspot_alerts_undelivered", "pairspot_alerts_undelivered_oldest_age_seconds"
    )
    #expect(value("pairspot_alerts_open", instance) == 1)
    #expect(value(count, instance) == 0 && value(age, instance) == 0)
    try instance.database.write {
      try $0.execute(
        "UPDATE contact_mails SET state = 'waiting', queued_at = \(instance.clock.now())")
    }
    instance.clock.advance(seconds: 1000)
    #expect(value(count, instance) == 1 && value(age, instance) == 1000)
    try instance.database.write {
      try $0.execute("UPDATE contact_mails SET state = 'recalled'")
    }
    #expect(value(count, instance) == 0 && value(age, instance) == 0)
  }

  @Test("The time of the last scan is 0 before the first one")
  func scan() throws {
    let instance = try TestInstance()
    let name = "pairspot_last_scan_timestamp_seconds"
    #expect(value(name, instance) == 0)
    try instance.live()
    #expect(value(name, instance) == Int(instance.clock.now().milliseconds / 1000))
  }

  @Test("Each check of /healthz has a series, 1 while it has a problem or fails")
  func problems() throws {
    let instance = try TestInstance()
    try instance.live()
    func found() -> Set<String> {
      Set(
        instance.browser().get("/metrics").text.matches(
          of: /pairspot_health_problem\{check="([^"]+)"\} 1\n/
        ).map { String($0.output.1) })
    }
    #expect(found() == [])
    instance.clock.advance(seconds: 61)
    #expect(found() == ["worker", "mail worker", "scan worker"])
    #expect(found() == Set(try instance.unwell().keys))
    try instance.database.write {
      try $0.execute("ALTER TABLE heartbeats RENAME TO heartbeats_away")
    }
    #expect(found().contains("check-in scan"))
    #expect(value("pairspot_health_problem{check=\"database\"}", instance) == 0)
  }

  @Test("Free space is reported for each place", .onSQLite("a server has its own disk"))
  func disks() throws {
    let instance = try TestInstance()
    for place in ["PAIRSPOT_DATA", "media/", "pairspot.sqlite"] {
      let bytes = try #require(value("pairspot_disk_free_bytes{place=\"\(place)\"}", instance))
      #expect(bytes > 0)
    }
  }

  @Test("Counters begin at 0, so that the first event is an increase")
  func zeros() throws {
    let instance = try TestInstance()
    #expect(value("pairspot_security_refresh_token_reused_total", instance) == 0)
    #expect(value("pairspot_responses_total{status=\"5xx\"}", instance) == 0)
  }
}
