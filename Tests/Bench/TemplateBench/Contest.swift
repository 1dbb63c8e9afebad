import Foundation
import Templates

/// Measures several ways to render the same page, in turns, so that other load of the machine
/// affects all alike.
struct Contest {
  typealias Way = @Sendable () -> Int

  let rounds: Int
  let pages: Int

  /// The median of the rounds for each way.
  func run(_ ways: [(name: String, render: Way)]) -> [(name: String, microseconds: Double)] {
    var times = Array(repeating: [Double](), count: ways.count)
    for _ in 0..<rounds {
      for (index, way) in ways.enumerated() {
        times[index].append(Self.time { repeated(way.render) } / Double(pages) * 1e6)
      }
    }
    return zip(ways, times).map { ($0.name, $1.sorted()[rounds / 2]) }
  }

  private func repeated(_ render: Way) {
    var bytes = 0
    for _ in 0..<pages {
      bytes &+= render()
    }
    precondition(bytes > 0)
  }

  static func pagesPerSecond(threads: Int, pages: Int, _ way: @Sendable () -> Way) -> Double {
    let seconds = time {
      DispatchQueue.concurrentPerform(iterations: threads) { _ in
        let render = way()
        for _ in 0..<pages {
          precondition(render() > 0)
        }
      }
    }
    return Double(threads * pages) / seconds
  }

  /// In seconds.
  private static func time(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let duration = clock.measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
