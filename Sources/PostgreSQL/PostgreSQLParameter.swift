/// A value of a statement's parameter, in the server's binary format.
public enum PostgreSQLParameter: Sendable {
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  /// Byte strings of the same width, one after another: `bytea[]`.
  case list(of: [UInt8], width: Int)

  /// The number of the type in the catalogue, which never changes (`pg_type.dat`).
  var type: UInt32 {
    switch self {
    case .integer: PostgreSQLType.int8
    case .real: PostgreSQLType.float8
    case .text: PostgreSQLType.text
    case .bytes: PostgreSQLType.bytea
    case .list: PostgreSQLType.byteaArray
    }
  }

  /// Adds the value's bytes, the most significant first.
  func append(to buffer: inout [UInt8]) {
    switch self {
    case .integer(let integer): buffer.append(bigEndian: integer)
    case .real(let real): buffer.append(bigEndian: real.bitPattern)
    case .text(let text): buffer += text.utf8
    case .bytes(let bytes): buffer += bytes
    case .list(let bytes, let width):
      let count = bytes.count / width
      // Dimensions, whether an element is NULL, type of the elements; length and first index of the
      // only dimension.
      buffer.append(bigEndian: Int32(count == 0 ? 0 : 1))
      buffer.append(bigEndian: Int32(0))
      buffer.append(bigEndian: PostgreSQLType.bytea)
      guard count > 0 else { return }
      buffer.append(bigEndian: Int32(count))
      buffer.append(bigEndian: Int32(1))
      for start in stride(from: 0, to: count * width, by: width) {
        buffer.append(bigEndian: Int32(width))
        buffer += bytes[start..<start + width]
      }
    }
  }
}

/// Numbers of types.
enum PostgreSQLType {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let float4: UInt32 = 700
  static let float8: UInt32 = 701
  static let byteaArray: UInt32 = 1001
  static let numeric: UInt32 = 1700
}

extension [UInt8] {
  /// Adds a number's bytes, the most significant first.
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
