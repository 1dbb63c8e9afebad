import WorkoutFiles

/// Encodes samples as a compact blob: for each kind the differences from second to second, small
/// numbers in few bytes (a typical hour of five kinds takes about 20 KB).
///
/// Format: a version, the number of seconds, then the kinds in their order. Each kind is 255 for
/// none; otherwise the power of ten that makes all its values whole, then alternating runs until
/// all seconds are covered: the number of values and their differences, the number of seconds
/// without a value. Integers are encoded in groups of seven bits, the lowest first; differences
/// have their sign in the lowest bit.
enum SamplesCodec {
  static let version: UInt8 = 1
  private static let none: UInt8 = 255
  private static let powers: [Int64] = [1, 10, 100, 1000]

  /// The blob is not in this format.
  struct Broken: Error, Equatable {}

  static func encode(_ samples: RecordedSamples) -> [UInt8] {
    var bytes = [version]
    append(UInt64(samples.count), to: &bytes)
    for kind in RecordedSamples.Kind.allCases {
      let values = samples[kind].map { value in
        value.map { Int64(($0 * 1000).rounded()) }
      }
      guard !values.isEmpty else {
        bytes.append(none)
        continue
      }
      let power = power(for: values)
      bytes.append(power)
      appendRuns(values, divisor: powers[3 - Int(power)], to: &bytes)
    }
    return bytes
  }

  /// The smallest power of ten that makes all values whole.
  private static func power(for values: [Int64?]) -> UInt8 {
    for power in 0..<3 {
      let divisor = powers[3 - power]
      if values.allSatisfy({ ($0 ?? 0) % divisor == 0 }) { return UInt8(power) }
    }
    return 3
  }

  private static func appendRuns(
    _ values: [Int64?], divisor: Int64, to bytes: inout [UInt8]
  ) {
    var (place, last): (Int, Int64) = (0, 0)
    while place < values.count {
      let empty = values[place...].firstIndex { $0 == nil } ?? values.count
      append(UInt64(empty - place), to: &bytes)
      for case let value? in values[place..<empty] {
        let whole = value / divisor
        let difference = whole - last
        append(UInt64(bitPattern: difference << 1 ^ difference >> 63), to: &bytes)
        last = whole
      }
      guard empty < values.count else { return }
      let next = values[empty...].firstIndex { $0 != nil } ?? values.count
      append(UInt64(next - empty), to: &bytes)
      place = next
    }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  // MARK: Reading

  /// Throws `Broken` for anything that `encode` would not produce.
  static func decode(_ bytes: [UInt8]) throws(Broken) -> RecordedSamples {
    var reader = Reader(bytes: bytes)
    guard try reader.byte() == version else { throw Broken() }
    let number = try reader.number()
    guard number <= UInt64(RecordedSamples.maximumSeconds) else { throw Broken() }
    let count = Int(number)
    var found: [RecordedSamples.Kind: [Double?]] = [:]
    for kind in RecordedSamples.Kind.allCases {
      let power = try reader.byte()
      if power == none { continue }
      guard Int(power) < powers.count else { throw Broken() }
      found[kind] = try values(count, scale: Double(powers[Int(power)]), &reader)
    }
    guard reader.isAtEnd else { throw Broken() }
    let samples = RecordedSamples(found)
    guard samples.count == count else { throw Broken() }
    return samples
  }

  private static func values(
    _ count: Int, scale: Double, _ reader: inout Reader
  ) throws(Broken) -> [Double?] {
    var values: [Double?] = []
    values.reserveCapacity(count)
    var last: Int64 = 0
    var isEmpty = false
    while values.count < count {
      let run = try reader.number()
      // Only the first run may be empty: otherwise there could be endless empty runs.
      guard run <= UInt64(count - values.count), run > 0 || (values.isEmpty && !isEmpty) else {
        throw Broken()
      }
      if isEmpty {
        values += [Double?](repeating: nil, count: Int(run))
      } else {
        for _ in 0..<run {
          let raw = try reader.number()
          let difference = Int64(bitPattern: raw >> 1) ^ -Int64(raw & 1)
          let (sum, isTooLarge) = last.addingReportingOverflow(difference)
          guard !isTooLarge, abs(sum.clamped) < 1_000_000_000_000_000 else { throw Broken() }
          last = sum
          values.append(Double(sum) / scale)
        }
      }
      isEmpty.toggle()
    }
    return values
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(Broken) -> UInt8 {
      guard place < bytes.count else { throw Broken() }
      place += 1
      return bytes[place - 1]
    }

    mutating func number() throws(Broken) -> UInt64 {
      var (number, shift): (UInt64, UInt64) = (0, 0)
      while true {
        let byte = try byte()
        guard shift < 63 || byte <= 1 else { throw Broken() }
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
        guard shift <= 63 else { throw Broken() }
      }
    }
  }
}

extension Int64 {
  /// The value, or `max` for the one number whose magnitude cannot be represented.
  fileprivate var clamped: Int64 { self == .min ? .max : self }
}
