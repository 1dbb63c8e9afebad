import Cpq

/// The result of a statement. All its rows are in memory.
public final class PostgreSQLResult {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit { PQclear(pointer) }

  public var rowCount: Int32 { PQntuples(pointer) }

  /// The number of rows that the statement changed itself, without triggers and foreign keys.
  public var changedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

  /// The name of the command that was executed: "COMMIT", "ROLLBACK".
  public var command: String { String(cString: PQcmdStatus(pointer)) }

  /// A row, which is valid as long as the result.
  public func row(_ number: Int32) -> PostgreSQLRow {
    PostgreSQLRow(result: pointer, number: number)
  }
}

/// A row of a result. Columns of other types are converted as SQLite does.
public struct PostgreSQLRow {
  public let result: OpaquePointer
  public let number: Int32

  /// `result` is the pointer of another row of the same result.
  public init(result: OpaquePointer, number: Int32) {
    self.result = result
    self.number = number
  }

  public var columnCount: Int32 { PQnfields(result) }

  public func isNull(_ column: Int32) -> Bool { PQgetisnull(result, number, column) == 1 }

  /// The bytes of a `bytea` or text; those of the server's format for other types.
  public func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(result, number, column), count: Int(PQgetlength(result, number, column)))
  }

  /// A number, rounded towards zero; 0 for NULL and for text that does not begin with a number.
  public func integer(_ column: Int32) -> Int64 {
    if isNull(column) { return 0 }
    let bytes = bytes(column)
    switch PQftype(result, column) {
    case PostgreSQLType.int8: return bytes.bigEndian(Int64.self)
    case PostgreSQLType.int4: return Int64(bytes.bigEndian(Int32.self))
    case PostgreSQLType.int2: return Int64(bytes.bigEndian(Int16.self))
    case PostgreSQLType.bool: return Int64(bytes[0])
    case PostgreSQLType.float8, PostgreSQLType.float4: return Int64(clamping: real(column))
    case PostgreSQLType.numeric: return PostgreSQLNumeric(bytes).integer
    default: return Int64(text(column)) ?? Int64(clamping: Double(text(column)) ?? 0)
    }
  }

  /// A number; 0 for NULL and for text that is no number.
  public func real(_ column: Int32) -> Double {
    if isNull(column) { return 0 }
    let bytes = bytes(column)
    switch PQftype(result, column) {
    case PostgreSQLType.float8: return Double(bitPattern: bytes.bigEndian(UInt64.self))
    case PostgreSQLType.float4: return Double(Float(bitPattern: bytes.bigEndian(UInt32.self)))
    case PostgreSQLType.numeric: return PostgreSQLNumeric(bytes).real
    case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool:
      return Double(integer(column))
    default: return Double(text(column)) ?? 0
    }
  }

  /// Text, or a number as text; empty for NULL.
  public func text(_ column: Int32) -> String {
    if isNull(column) { return "" }
    switch PQftype(result, column) {
    case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool:
      return String(integer(column))
    case PostgreSQLType.float8, PostgreSQLType.float4, PostgreSQLType.numeric:
      return String(real(column))
    default: return String(decoding: bytes(column), as: UTF8.self)
    }
  }
}

/// A `numeric`, the type of `sum(bigint)` and `avg`: digits of base 10,000
/// (`numeric_send` in PostgreSQL's `numeric.c`).
struct PostgreSQLNumeric {
  private let digits: [Int64]
  /// The power of the base of the first digit.
  private let weight: Int
  private let isNegative: Bool

  init(_ bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> Int16 {
      UnsafeRawBufferPointer(rebasing: bytes[(2 * index)...]).bigEndian(Int16.self)
    }
    digits = (0..<Int(word(0))).map { Int64(word(4 + $0)) }
    weight = Int(word(1))
    isNegative = word(2) == 0x4000
  }

  /// Rounded towards zero.
  var integer: Int64 {
    guard weight >= 0 else { return 0 }
    var number: Int64 = 0
    for place in 0...weight {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10_000)
      let (sum, isAbove) = product.addingReportingOverflow(
        place < digits.count ? digits[place] : 0)
      if isTooLarge || isAbove { return isNegative ? .min : .max }
      number = sum
    }
    return isNegative ? -number : number
  }

  var real: Double {
    var number = 0.0
    var scale = 1.0
    for _ in 0..<max(weight, 0) { scale *= 10_000 }
    for _ in 0..<max(-weight, 0) { scale /= 10_000 }
    for digit in digits {
      number += Double(digit) * scale
      scale /= 10_000
    }
    return isNegative ? -number : number
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func bigEndian<Number: FixedWidthInteger>(_: Number.Type) -> Number {
    Number(bigEndian: loadUnaligned(as: Number.self))
  }
}

extension Int64 {
  /// Rounded towards zero, within the limits of the type; 0 for no number.
  fileprivate init(clamping real: Double) {
    if real.isNaN {
      self = 0
    } else {
      self = Int64(exactly: real.rounded(.towardZero)) ?? (real < 0 ? .min : .max)
    }
  }
}
