@testable import WorkoutFiles

/// Writes valid and invalid FIT files for tests.
struct FITMaker {
  var isBigEndian = false
  private(set) var data: [UInt8] = []

  /// Defines a local type: field numbers with their sizes and base types.
  mutating func define(
    _ local: UInt8, _ global: UInt16, _ fields: [(number: UInt8, size: UInt8, type: UInt8)],
    others: [(number: UInt8, size: UInt8)] = []
  ) {
    data += [0x40 | local | (others.isEmpty ? 0 : 0x20), 0, isBigEndian ? 1 : 0]
    number(UInt64(global), 2)
    data.append(UInt8(fields.count))
    for field in fields { data += [field.number, field.size, field.type] }
    if !others.isEmpty {
      data.append(UInt8(others.count))
      for other in others { data += [other.number, other.size, 0] }
    }
  }

  mutating func number(_ value: UInt64, _ size: Int) {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    data += isBigEndian ? little.reversed() : little
  }

  mutating func bytes(_ bytes: [UInt8]) { data += bytes }

  /// The file with header and checksums.
  func file(head: UInt8 = 14) -> [UInt8] {
    var file: [UInt8] = [head, 0x20, 0x54, 0x08]
    file += (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) }
    file += Array(".FIT".utf8)
    if head >= 14 { file += Self.little(FITChecksum.of(file[...])) }
    file += data
    return file + Self.little(FITChecksum.of(file[...]))
  }

  private static func little(_ value: UInt16) -> [UInt8] {
    [UInt8(value & 0xFF), UInt8(value >> 8)]
  }

  /// The start of `GeneratedWorkout` in FIT seconds.
  static let start = UInt64(GeneratedWorkout.start.milliseconds / 1000 - FITReader.epoch)

  /// Three records and a session, with a developer field after each record.
  static func small(bigEndian: Bool = false) -> FITMaker {
    var maker = FITMaker()
    maker.isBigEndian = bigEndian
    maker.define(0, 0, [(0, 1, 0)])
    maker.bytes([0, 4])
    maker.define(
      1, 20,
      [(253, 4, 0x86), (7, 2, 0x84), (3, 1, 2), (4, 1, 2), (73, 4, 0x86), (5, 4, 0x86)],
      others: [(0, 3)])
    for (second, power) in [(0, 100), (1, 0xFFFF), (2, 300)] as [(UInt64, UInt64)] {
      maker.bytes([1])
      maker.number(start + second, 4)
      maker.number(power, 2)
      maker.bytes([second == 1 ? 0xFF : 120, 90])
      maker.number(2500, 4)
      maker.number(second * 250, 4)
      maker.bytes([1, 2, 3])
    }
    maker.define(
      2, 18,
      [
        (253, 4, 0x86), (2, 4, 0x86), (5, 1, 0), (7, 4, 0x86), (8, 4, 0x86),
        (11, 2, 0x84), (16, 1, 2), (200, 5, 7),
      ])
    maker.bytes([2])
    maker.number(start + 10, 4)
    maker.number(start, 4)
    maker.bytes([15])
    maker.number(10_000, 4)
    maker.number(3_000, 4)
    maker.number(7, 2)
    maker.bytes([121])
    maker.bytes(Array("text\0".utf8))
    return maker
  }
}
