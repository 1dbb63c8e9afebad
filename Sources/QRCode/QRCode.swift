import Cqrencode
import Glibc

/// A text as a square of dark and light modules (ISO/IEC 18004), made by libqrencode.
public struct QRCode: Hashable, Sendable {
  /// The share of a code that may be damaged without becoming unreadable.
  public enum Level: CaseIterable, Sendable {
    /// About 7 %.
    case low
    /// About 15 %.
    case medium
    /// About 25 %.
    case quartile
    /// About 30 %.
    case high
  }

  /// The reason why a text could not be encoded.
  public enum Failure: Error, Equatable {
    /// The text is empty.
    case empty
    /// The text is longer than the largest code at this level holds.
    case tooLong
    /// The library was out of memory.
    case noMemory
  }

  /// The light border that scanners need on each side, in modules.
  public static let quietZone = 4

  /// The number of modules in a row, without the border.
  public let size: Int
  /// Row by row, true for dark.
  private let modules: [Bool]

  /// Encodes the UTF-8 of a text in the smallest code that holds it.
  public init(_ text: String, level: Level = .medium) throws(Failure) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    // 2,953 bytes are the most that any code holds.
    guard let count = Int32(exactly: bytes.count), count <= 2953 else { throw .tooLong }
    guard let made = QRcode_encodeData(count, bytes, 0, level.value) else {
      throw errno == ERANGE ? .tooLong : .noMemory
    }
    defer { QRcode_free(made) }
    size = Int(made.pointee.width)
    // The lowest bit of each byte is the colour; the others give the module's purpose.
    modules = UnsafeBufferPointer(start: made.pointee.data, count: size * size).map { $0 & 1 == 1 }
  }

  /// Whether a module is dark; those of the border and beyond are light.
  public subscript(row: Int, column: Int) -> Bool {
    guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
    return modules[row * size + column]
  }

  /// The side of the drawing with its border, in modules: the view box of `svgPath`.
  public var svgSide: Int { size + 2 * Self.quietZone }

  /// The dark modules as the `d` of an SVG path, a rectangle for each run of a row.
  public var svgPath: String {
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        let start = column
        while self[row, column] { column += 1 }
        let length = column - start
        if length > 0 {
          path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
        } else {
          column += 1
        }
      }
    }
    return path
  }
}

extension QRCode.Level {
  fileprivate var value: QRecLevel {
    switch self {
    case .low: QR_ECLEVEL_L
    case .medium: QR_ECLEVEL_M
    case .quartile: QR_ECLEVEL_Q
    case .high: QR_ECLEVEL_H
    }
  }
}
