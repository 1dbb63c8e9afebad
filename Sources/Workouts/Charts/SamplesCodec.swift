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
  private static let missing = RecordedSamples.missing
  /// Thousandths of the units of each power of ten.
  private static let units: [Int64] = [1000, 100, 10, 1]

  /// Values must be smaller than this, in thousandths.
  private static let limit: Int64 = 1_000_000_000_000_000

  /// The blob is not in this format.
  struct Broken: Error, Equatable {}

  static func encode(_ samples: RecordedSamples) -> [UInt8] {
    // Each second of each kind takes at most two numbers, of at most ten bytes each.
    let capacity = 16 + RecordedSamples.Kind.allCases.count * (16 + 20 * samples.count)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      var writer = Writer(buffer: buffer)
      writer.append(byte: version)
      writer.append(UInt64(samples.count))
      for kind in RecordedSamples.Kind.allCases {
        let values = samples.thousandths(of: kind)
        guard !values.isEmpty else {
          writer.append(byte: none)
          continue
        }
        let power = power(for: values)
        writer.append(byte: power)
        appendRuns(values, power, to: &writer)
      }
      return Array(buffer[..<writer.count])
    }
  }

  /// The smallest power of ten that makes all values whole.
  private static func power(for values: [Int64]) -> UInt8 {
    var power: UInt8 = 0
    for value in values where value != missing {
      while power < 3, divided(value, power).remainder != 0 { power += 1 }
    }
    return power
  }

  /// Thousandths in units of a negative power of ten. The divisors are constants, by which the
  /// compiler multiplies instead.
  @inline(__always)
  private static func divided(_ value: Int64, _ power: UInt8) -> (quotient: Int64, remainder: Int64)
  {
    switch power {
    case 0: (value / 1000, value % 1000)
    case 1: (value / 100, value % 100)
    case 2: (value / 10, value % 10)
    default: (value, 0)
    }
  }

  private static func appendRuns(_ values: [Int64], _ power: UInt8, to writer: inout Writer) {
    var (place, last): (Int, Int64) = (0, 0)
    while place < values.count {
      let empty = values[place...].firstIndex(of: missing) ?? values.count
      writer.append(UInt64(empty - place))
      for value in values[place..<empty] {
        let whole = divided(value, power).quotient
        let difference = whole - last
        writer.append(UInt64(bitPattern: difference << 1 ^ difference >> 63))
        last = whole
      }
      guard empty < values.count else { return }
      let next = values[empty...].firstIndex { $0 != missing } ?? values.count
      writer.append(UInt64(next - empty))
      place = next
    }
  }

  /// Writes into memory that is large enough for any samples.
  private struct Writer {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(buffer: UnsafeMutableBufferPointer<UInt8>) {
      self.buffer = buffer
    }

    mutating func append(byte: UInt8) {
      buffer[count] = byte
      count += 1
    }

    mutating func append(_ number: UInt64) {
      var rest = number
      while rest >= 0x80 {
        append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      append(byte: UInt8(truncatingIfNeeded: rest))
    }
  }

  // MARK: Reading

  /// Throws `Broken` for anything that `encode` would not produce.
  static func decode(_ bytes: [UInt8]) throws(Broken) -> RecordedSamples {
    var reader = Reader(bytes: bytes)
    guard try reader.byte() == version else { throw Broken() }
    let number = try reader.number()
    guard number <= UInt64(RecordedSamples.maximumSeconds) else { throw Broken() }
    let count = Int(number)
    var found: [RecordedSamples.Kind: [Int64]] = [:]
    for kind in RecordedSamples.Kind.allCases {
      let power = try reader.byte()
      if power == none { continue }
      guard Int(power) < units.count else { throw Broken() }
      found[kind] = try values(count, unit: units[Int(power)], &reader)
    }
    guard reader.isAtEnd else { throw Broken() }
    let samples = RecordedSamples(thousandths: found)
    guard samples.count == count else { throw Broken() }
    return samples
  }

  private static func values(
    _ count: Int, unit: Int64, _ reader: inout Reader
  ) throws(Broken) -> [Int64] {
    var values: [Int64] = []
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
        values += [Int64](repeating: missing, count: Int(run))
      } else {
        for _ in 0..<run {
          let raw = try reader.number()
          let difference = Int64(bitPattern: raw >> 1) ^ -Int64(raw & 1)
          let (sum, isTooLarge) = last.addingReportingOverflow(difference)
          guard !isTooLarge, abs(sum.clamped) < limit / unit else { throw Broken() }
          last = sum
          values.append(sum * unit)
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
