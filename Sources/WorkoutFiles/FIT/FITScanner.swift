/// Reads the messages of one FIT file (Garmin's "Flexible and Interoperable Data Transfer
/// Protocol"). Definitions describe the layout of the data messages of a local type, in either byte
/// order; unwanted fields and developer fields are skipped by their lengths.
struct FITScanner {
  /// A data message with the fields that the profile knows.
  struct Message {
    let kind: FITProfile.Message
    var values: [FITProfile.Quantity: Double] = [:]

    subscript(quantity: FITProfile.Quantity) -> Double? { values[quantity] }
  }

  private struct FieldDefinition {
    let size: Int
    let type: UInt8
    let isTimestamp: Bool
    let field: FITProfile.Field?
  }

  private struct Definition {
    let kind: FITProfile.Message?
    let isBigEndian: Bool
    let fields: [FieldDefinition]
    /// The size of the developer fields after the others, in bytes.
    let others: Int
  }

  private let bytes: [UInt8]
  private var place: Int
  /// The position of the file's checksum.
  private let end: Int
  private var definitions = [Definition?](repeating: nil, count: 16)
  private var lastTimestamp: UInt32?

  /// The position of the next file in a chain.
  var next: Int { end + 2 }

  /// Reads the header of the file that begins at `start`, and verifies both checksums. Throws
  /// `WorkoutFileError.broken`.
  init(_ bytes: [UInt8], at start: Int) throws(WorkoutFileError) {
    self.bytes = bytes
    let left = bytes.count - start
    guard left >= 12 else { throw .broken }
    let head = Int(bytes[start])
    // 12 in old files, 14 with a checksum of the header; longer ones are possible.
    guard head >= 12, left >= head, bytes[(start + 8)..<(start + 12)].elementsEqual(".FIT".utf8)
    else { throw .broken }
    let size = (0..<4).reduce(0) { $0 | Int(bytes[start + 4 + $1]) << (8 * $1) }
    guard size <= left - head - 2 else { throw .broken }
    place = start + head
    end = place + size
    if head >= 14 {
      let kept = Self.number(bytes, start + 12)
      guard kept == 0 || kept == FITChecksum.of(bytes[start..<(start + 12)]) else { throw .broken }
    }
    guard FITChecksum.of(bytes[start..<end]) == Self.number(bytes, end) else { throw .broken }
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> UInt16 {
    UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
  }

  /// The next data message known to the profile; nil at the end. Throws `WorkoutFileError.broken`.
  mutating func message() throws(WorkoutFileError) -> Message? {
    while place < end {
      let header = bytes[place]
      place += 1
      if header & 0x80 != 0 {
        // A compressed timestamp: the last five bits, in the header itself.
        advance(by: UInt32(header & 0x1F))
        if let message = try data(Int(header >> 5 & 3), isCompressed: true) { return message }
      } else if header & 0x40 != 0 {
        try define(Int(header & 0xF), withOthers: header & 0x20 != 0)
      } else if let message = try data(Int(header & 0xF), isCompressed: false) {
        return message
      }
    }
    return nil
  }

  private mutating func advance(by bits: UInt32) {
    guard let last = lastTimestamp else { return }
    let whole = last & ~0x1F
    // A smaller value than before: the five bits have wrapped around once.
    lastTimestamp = whole &+ bits &+ (bits < last & 0x1F ? 0x20 : 0)
  }

  // MARK: Definitions

  private mutating func define(_ local: Int, withOthers: Bool) throws(WorkoutFileError) {
    guard end - place >= 5 else { throw .broken }
    let isBigEndian = bytes[place + 1] != 0
    let (first, second) = (UInt16(bytes[place + 2]), UInt16(bytes[place + 3]))
    let global = isBigEndian ? first << 8 | second : second << 8 | first
    let kind = FITProfile.Message(rawValue: global)
    let known = kind.map(FITProfile.fields) ?? [:]
    let count = Int(bytes[place + 4])
    place += 5
    guard end - place >= count * 3 else { throw .broken }
    var fields: [FieldDefinition] = []
    for _ in 0..<count {
      let number = bytes[place]
      fields.append(
        FieldDefinition(
          size: Int(bytes[place + 1]), type: bytes[place + 2],
          isTimestamp: number == FITProfile.timestampField, field: known[number]))
      place += 3
    }
    definitions[local] = Definition(
      kind: kind, isBigEndian: isBigEndian, fields: fields,
      others: withOthers ? try developersBytes() : 0)
  }

  private mutating func developersBytes() throws(WorkoutFileError) -> Int {
    guard place < end else { throw .broken }
    let count = Int(bytes[place])
    place += 1
    guard end - place >= count * 3 else { throw .broken }
    var size = 0
    for _ in 0..<count {
      size += Int(bytes[place + 1])
      place += 3
    }
    return size
  }

  // MARK: Data

  private mutating func data(
    _ local: Int, isCompressed: Bool
  ) throws(WorkoutFileError) -> Message? {
    guard let definition = definitions[local] else { throw .broken }
    var message = definition.kind.map { Message(kind: $0) }
    for field in definition.fields {
      guard end - place >= field.size else { throw .broken }
      if field.field != nil || field.isTimestamp {
        let value = FITValue.read(
          bytes, at: place, size: field.size, type: field.type,
          isBigEndian: definition.isBigEndian)
        if field.isTimestamp, let value, let stamp = UInt32(exactly: value) {
          lastTimestamp = stamp
        }
        if let wanted = field.field, let value {
          message?.values[wanted.quantity] = value / wanted.scale
        }
      }
      place += field.size
    }
    guard end - place >= definition.others else { throw .broken }
    place += definition.others
    if isCompressed, let lastTimestamp { message?.values[.timestamp] = Double(lastTimestamp) }
    return message
  }
}
