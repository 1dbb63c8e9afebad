import Foundation
import Testing

@testable import Web

@Suite("Metrics for the operator") struct MetricsTests {
  private static func folder() throws -> String {
    let folder = NSTemporaryDirectory() + "metrics-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  private static let waiting = MetricName("pairspot_waiting", "What waits.")

  private static func mails(_ result: String) -> MetricName {
    MetricName("pairspot_mails_total", "Mails.", label: ("result", result))
  }

  private static func lines(_ metrics: Metrics) -> [Substring] {
    metrics.text(gauges: [(waiting, 7)]).split(separator: "\n")
  }

  @Test("Each request is in the bucket of its duration and in all above") func classes() {
    let metrics = Metrics()
    metrics.request(route: "GET /", status: 200, milliseconds: 1.5)
    metrics.request(route: "GET /", status: 303, milliseconds: 60)
    metrics.request(route: "GET /", status: 500, milliseconds: 9000.25)
    metrics.count("pairspot_people_total")
    metrics.count("pairspot_people_total")
    let lines = Self.lines(metrics)
    let name = "pairspot_request_duration_seconds"
    for line in [
      "\(name)_bucket{route=\"GET /\",le=\"0.001\"} 0",
      "\(name)_bucket{route=\"GET /\",le=\"0.002\"} 1",
      "\(name)_bucket{route=\"GET /\",le=\"0.1\"} 2",
      "\(name)_bucket{route=\"GET /\",le=\"+Inf\"} 3", "\(name)_sum{route=\"GET /\"} 9.06175",
      "\(name)_count{route=\"GET /\"} 3", "pairspot_responses_total{status=\"2xx\"} 1",
      "pairspot_responses_total{status=\"5xx\"} 1", "pairspot_people_total 2",
      "pairspot_waiting 7",
    ] { #expect(lines.contains(Substring(line)), "\(line)") }
  }

  @Test("Counts from the database are declared as counters, one line a label") func counters() {
    let metrics = Metrics()
    // As by programs that counted it in memory.
    metrics.count("pairspot_people_total")
    let text = metrics.text(
      gauges: [(Self.waiting, 7)],
      counters: [
        (MetricName("pairspot_people_total", "Accounts."), 5), (Self.mails("sent"), 3),
        (Self.mails("refused"), 0),
      ])
    #expect(
      text.hasSuffix(
        """
        # TYPE pairspot_responses_total counter
        pairspot_responses_total{status="2xx"} 0
        pairspot_responses_total{status="3xx"} 0
        pairspot_responses_total{status="4xx"} 0
        pairspot_responses_total{status="5xx"} 0
        # HELP pairspot_people_total Accounts.
        # TYPE pairspot_people_total counter
        pairspot_people_total 5
        # HELP pairspot_mails_total Mails.
        # TYPE pairspot_mails_total counter
        pairspot_mails_total{result="sent"} 3
        pairspot_mails_total{result="refused"} 0
        # HELP pairspot_waiting What waits.
        # TYPE pairspot_waiting gauge
        pairspot_waiting 7

        """))
  }

  @Test("Processes that share a folder count together, and a later one continues")
  func shared() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (one, other) = (Metrics(), Metrics())
    for metrics in [one, other] { try metrics.share(in: folder) }
    one.count("pairspot_people_total")
    other.count("pairspot_check_ins_total")
    other.count("pairspot_people_total")
    one.request(route: "GET /about", status: 200, milliseconds: 3)
    let later = Metrics()
    try later.share(in: folder)
    later.count("pairspot_people_total")
    for metrics in [one, other, later] {
      let lines = Self.lines(metrics)
      #expect(lines.contains("pairspot_people_total 3"))
      #expect(lines.contains("pairspot_check_ins_total 1"))
      #expect(
        lines.contains("pairspot_request_duration_seconds_count{route=\"GET /about\"} 1"))
    }
  }

  @Test("Concurrent counting loses nothing, whichever thread adds a name first") func together()
    async throws
  {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let metrics = Metrics()
          try metrics.share(in: folder)
          for number in 0..<2000 { metrics.count("pairspot_\(number % 40)_total") }
        }
      }
    }
    let metrics = Metrics()
    try metrics.share(in: folder)
    let lines = Self.lines(metrics).filter { $0.hasSuffix("_total 200") }
    #expect(lines.count == 40)
  }

  @Test("A file that is something else is refused, and the process counts for itself")
  func foreign() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: "\(folder)/metrics-1"))
    let metrics = Metrics()
    metrics.count("pairspot_people_total")
    #expect(throws: SharedCountersError.self) { try metrics.share(in: folder) }
    metrics.count("pairspot_people_total")
    #expect(Self.lines(metrics).contains("pairspot_people_total 2"))
  }

  @Test("Names above the maximum number, and too long ones, are left out") func full() {
    let metrics = Metrics()
    metrics.count("pairspot_people_total")
    metrics.count(String(repeating: "x", count: 400))
    for number in 0..<3000 { metrics.count("pairspot_\(number)_total") }
    metrics.count("pairspot_people_total")
    let lines = Self.lines(metrics)
    #expect(lines.contains("pairspot_people_total 2"))
    #expect(lines.count { $0.hasPrefix("pairspot_") && $0.hasSuffix("_total 1") } == 1023)
  }
}
