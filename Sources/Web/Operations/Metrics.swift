import Core

/// Metrics for the operator, in Prometheus' text format (docs/operator/monitoring.md).
public final class Metrics: Sendable {
  /// Upper bounds of the buckets of request times, in ms.
  private static let bounds: [Double] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]
  /// The index after a route's buckets: the sum of its times, in µs.
  private static let sum = bounds.count + 1

  private static let healthRoute = "GET /healthz"

  private let table = PThreadLocked(SharedCounters())

  public init() {}

  /// Shares the counters with all processes that use this folder. Throws on failure: this process
  /// then counts for itself.
  public func share(in folder: String) throws {
    // Programs with another layout use another file.
    let path = "\(folder)/metrics-1"
    try table.withLock { $0 = try SharedCounters(sharedIn: path) }
  }

  /// Counts one answered request; `milliseconds` from its first byte to the response's last.
  public func request(route: String, status: Int, milliseconds: Double) {
    let place = Self.bounds.firstIndex { milliseconds <= $0 } ?? Self.bounds.count
    let name = Kind.times.name(route)
    table.withLock { table in
      table.add(1, to: place, of: name)
      table.add(UInt64(max(0, milliseconds * 1000)), to: Self.sum, of: name)
      // Monitors ask often, and a problem of the instance is not one of the members' requests.
      if route != Self.healthRoute {
        table.add(1, to: 0, of: Kind.answers.name("\(status / 100)xx"))
      }
    }
  }

  /// Increments a counter ("pairspot_check_ins_total"), which may have a label in braces.
  public func count(_ name: String) {
    table.withLock { $0.add(1, to: 0, of: Kind.counter.name(name)) }
  }

  /// The value of a counter over all processes that share it.
  public func value(of name: String) -> Int {
    let rows = table.withLock { $0.rows() }
    let found = Kind.counter.of(rows).first { $0.what == name }
    return Int(clamping: found?.cells[0] ?? 0)
  }

  /// The text format; the caller has just read `gauges` and `counters` from the database.
  public func text(
    gauges: [(metric: MetricName, value: Int)],
    counters: [(metric: MetricName, value: Int)] = []
  ) -> String {
    let rows = table.withLock { $0.rows() }
    var lines = Self.head(Self.times, type: "histogram")
    for (route, cells) in Kind.times.of(rows) { lines += Self.lines(route: route, cells) }
    lines += answers(rows)
    // Counters that older versions kept in memory and the database holds now are written once.
    let kept = Set(counters.map { Substring($0.metric.name) })
    for (name, cells) in Kind.counter.of(rows) where !kept.contains(name.prefix { $0 != "{" }) {
      lines.append("# TYPE \(name) counter")
      lines.append("\(name) \(cells[0])")
    }
    lines += Self.lines(counters, type: "counter") + Self.lines(gauges, type: "gauge")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The answers of each class. The usual classes begin at 0, so that the first error is an
  /// increase.
  private func answers(_ rows: [(name: String, cells: [UInt64])]) -> [String] {
    var counts: [String: UInt64] = ["2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0]
    for (status, cells) in Kind.answers.of(rows) { counts[status] = cells[0] }
    let metric = MetricName("pairspot_responses_total", "Answered requests by class of status.")
    return Self.head(metric, type: "counter")
      + counts.sorted { $0.key < $1.key }.map {
        "\(metric.name){status=\"\($0.key)\"} \($0.value)"
      }
  }

  private static let times = MetricName(
    "pairspot_request_duration_seconds", "Time from a request's first byte to its answer's last.")

  private static func head(_ metric: MetricName, type: String) -> [String] {
    ["# HELP \(metric.name) \(metric.help)", "# TYPE \(metric.name) \(type)"]
  }

  /// The lines of metrics, those of one name together.
  private static func lines(
    _ metrics: [(metric: MetricName, value: Int)], type: String
  ) -> [String] {
    var lines: [String] = []
    var last: String?
    for (metric, value) in metrics {
      if metric.name != last { lines += head(metric, type: type) }
      last = metric.name
      lines.append("\(metric.series) \(value)")
    }
    return lines
  }

  private static func lines(route: String, _ cells: [UInt64]) -> [String] {
    let name = times.name
    var lines: [String] = []
    var total: UInt64 = 0
    for place in 0...bounds.count {
      total += cells[place]
      let bound = place < bounds.count ? "\(bounds[place] / 1000)" : "+Inf"
      lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(total)")
    }
    lines.append("\(name)_sum{route=\"\(route)\"} \(Double(cells[sum]) / 1_000_000)")
    lines.append("\(name)_count{route=\"\(route)\"} \(total)")
    return lines
  }

  /// The kind of a row, as the first character of its name.
  private enum Kind: String {
    case times = "t"
    case answers = "a"
    case counter = "c"

    func name(_ what: String) -> String { "\(rawValue)\(what)" }

    func of(
      _ rows: [(name: String, cells: [UInt64])]
    ) -> [(what: String, cells: [UInt64])] {
      rows.filter { $0.name.hasPrefix(rawValue) }.map { (String($0.name.dropFirst()), $0.cells) }
    }
  }
}
