import Core
import Foundation
import Testing

@testable import Wallet

@Suite("The rotation of promoted posts")
struct PromotionRotationTests {
  @Test("Over many minutes the rotation prefers no post")
  func rotation() throws {
    let running = (0..<7).map { _ in
      RunningPromotion(post: .random(), until: Instant(milliseconds: .max))
    }
    var first: [ID<PromotedPost>: Double] = [:]
    for minute in 0..<7000 {
      let now = Instant(milliseconds: 1_772_000_000_000).adding(seconds: Int64(minute) * 60)
      let order = PromotionRotation.order(running, now: now)
      first[order[0].post, default: 0] += 1
    }
    // Chi-square with 6 degrees of freedom: above 50 once in 200 million runs.
    let chiSquare = running.reduce(0) { $0 + pow(first[$1.post, default: 0] - 1000, 2) / 1000 }
    #expect(chiSquare < 50, "\(first.values)")
  }
}
