import Secrets

/// The number of a table's rows, and a hash of all of them: the same on both engines.
public struct TableDigest: Equatable, Sendable {
  public let rowCount: Int
  /// SHA-256 over the rows in the order of the primary key.
  public let sha256: [UInt8]
}

/// Computes the digest of a table, row by row.
struct RunningTableDigest {
  /// The number of bytes that are hashed at a time.
  private static let piece = 1 << 16

  private var rowCount = 0
  private var buffer: [UInt8] = []
  private var hash = RunningDigest()

  mutating func add(_ row: [Value]) {
    rowCount += 1
    for value in row { add(value) }
    if buffer.count >= Self.piece { hashBuffer() }
  }

  mutating func finish() -> TableDigest {
    hashBuffer()
    return TableDigest(rowCount: rowCount, sha256: hash.finish())
  }

  /// Adds a value after its type; texts and bytes also after their length, so that no other values
  /// are the same bytes.
  private mutating func add(_ value: Value) {
    switch value {
    case .null: buffer.append(0)
    case .integer(let integer): add(1, integer)
    // SQLite keeps no negative zero.
    case .real(let real): add(2, Int64(bitPattern: (real == 0 ? 0 : real).bitPattern))
    case .text(let text):
      add(3, Int64(text.utf8.count))
      buffer += text.utf8
    case .blob(let bytes), .list(let bytes, _):
      add(4, Int64(bytes.count))
      buffer += bytes
    }
  }

  private mutating func add(_ type: UInt8, _ number: Int64) {
    buffer.append(type)
    withUnsafeBytes(of: number.bigEndian) { buffer.append(contentsOf: $0) }
  }

  private mutating func hashBuffer() {
    buffer.withUnsafeBytes { hash.update($0) }
    buffer.removeAll(keepingCapacity: true)
  }
}

extension ReadTransaction {
  /// The digest of a table of any size.
  func digest(of table: TableLayout) throws -> TableDigest {
    var digest = RunningTableDigest()
    try stream(table.allRows) { digest.add(try table.values(of: &$0)) }
    return digest.finish()
  }
}
