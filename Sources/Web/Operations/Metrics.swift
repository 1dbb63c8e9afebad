import Core

/// Metrics for the operator, in Prometheus' text format (docs/operator/monitoring.md).
public final class Metrics: Sendable {
  /// Upper bounds of the buckets of request times, in ms.
  private static let bounds: [Double] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]
  /// The index after a route's buckets: the sum of its times, in µs.
  private static let sum = bounds.count + 1

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
      table.add(1, to: 0, of: Kind.answers.name("\(status / 100)xx"))
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
    gauges: [(name: String, value: Int)],
    counters: [(name: String, label: String?, value: Int)] = []
  ) -> String {
    let rows = table.withLock { $0.rows() }
    var lines = ["# TYPE pairspot_request_duration_milliseconds histogram"]
    for (route, cells) in Kind.times.of(rows) { lines += Self.lines(route: route, cells) }
    lines.append("# TYPE pairspot_responses_total counter")
    for (status, cells) in Kind.answers.of(rows) {
      lines.append("pairspot_responses_total{status=\"\(status)\"} \(cells[0])")
    }
    // Counters that older versions kept in memory and the database holds now are written once.
    let kept = Set(counters.map { Substring($0.name) })
    for (name, cells) in Kind.counter.of(rows) where !kept.contains(name.prefix { $0 != "{" }) {
      lines.append("# TYPE \(name) counter")
      lines.append("\(name) \(cells[0])")
    }
    for (place, counter) in counters.enumerated() {
      if place == 0 || counters[place - 1].name != counter.name {
        lines.append("# TYPE \(counter.name) counter")
      }
      lines.append("\(counter.name)\(counter.label.map { "{\($0)}" } ?? "") \(counter.value)")
    }
    for (name, value) in gauges {
      lines.append("# TYPE \(name) gauge")
      lines.append("\(name) \(value)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(route: String, _ cells: [UInt64]) -> [String] {
    let name = "pairspot_request_duration_milliseconds"
    var lines: [String] = []
    var total: UInt64 = 0
    for place in 0...bounds.count {
      total += cells[place]
      let bound = place < bounds.count ? "\(bounds[place])" : "+Inf"
      lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(total)")
    }
    lines.append("\(name)_sum{route=\"\(route)\"} \(Double(cells[sum]) / 1000)")
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
