import Synchronization

/// Numbers for the operator, in Prometheus' text form (operations.md, "Seeing it").
public final class Metrics: Sendable {
  /// Upper bounds of the classes of request times, in ms.
  fileprivate static let bounds: [Double] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]

  fileprivate struct Times {
    var classes = [Int](repeating: 0, count: bounds.count + 1)
    var sum = 0.0
    var count = 0
  }

  private struct State {
    var times: [String: Times] = [:]
    var answers: [String: Int] = [:]
    var counters: [String: Int] = [:]
  }

  private let state = Mutex(State())

  public init() {}

  /// Notes one answered request; `milliseconds` from its first byte to the answer's last.
  public func request(route: String, status: Int, milliseconds: Double) {
    state.withLock { state in
      state.times[route, default: Times()].note(milliseconds)
      state.answers["\(status / 100)xx", default: 0] += 1
    }
  }

  /// Adds to a counter ("pairspot_people_total").
  public func count(_ name: String, by amount: Int = 1) {
    state.withLock { $0.counters[name, default: 0] += amount }
  }

  /// The text form; `gauges` are read at this moment from the database.
  public func text(gauges: [(name: String, value: Int)]) -> String {
    state.withLock { state in
      var lines: [String] = []
      lines.append("# TYPE pairspot_request_duration_milliseconds histogram")
      for (route, times) in state.times.sorted(by: { $0.key < $1.key }) {
        lines += times.lines(route: route)
      }
      lines.append("# TYPE pairspot_responses_total counter")
      for (status, count) in state.answers.sorted(by: { $0.key < $1.key }) {
        lines.append("pairspot_responses_total{status=\"\(status)\"} \(count)")
      }
      for (name, count) in state.counters.sorted(by: { $0.key < $1.key }) {
        lines.append("# TYPE \(name) counter")
        lines.append("\(name) \(count)")
      }
      for (name, value) in gauges {
        lines.append("# TYPE \(name) gauge")
        lines.append("\(name) \(value)")
      }
      return lines.joined(separator: "\n") + "\n"
    }
  }
}

extension Metrics.Times {
  fileprivate mutating func note(_ milliseconds: Double) {
    let place = Metrics.bounds.firstIndex { milliseconds <= $0 } ?? Metrics.bounds.count
    classes[place] += 1
    sum += milliseconds
    count += 1
  }

  fileprivate func lines(route: String) -> [String] {
    let name = "pairspot_request_duration_milliseconds"
    var lines: [String] = []
    var total = 0
    for (place, count) in classes.enumerated() {
      total += count
      let bound = place < Metrics.bounds.count ? "\(Metrics.bounds[place])" : "+Inf"
      lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(total)")
    }
    lines.append("\(name)_sum{route=\"\(route)\"} \(sum)")
    lines.append("\(name)_count{route=\"\(route)\"} \(count)")
    return lines
  }
}
