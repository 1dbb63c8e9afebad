/// Pseudo-random, the same for the same seed (SplitMix64), so that each round can be repeated
/// alone.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64, round: Int) {
    state = seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(truncatingIfNeeded: round)
    // Makes sequences of adjacent seeds differ.
    state = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

  mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  /// Nil for an empty list.
  mutating func any<T>(_ list: [T]) -> T? { list.isEmpty ? nil : pick(list) }
}
