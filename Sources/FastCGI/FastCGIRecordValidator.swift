/// Validates the bytes of one FastCGI request and rejects what libfcgi can't handle safely.
///
/// libfcgi 2.4.2 aborts on name and value lengths whose sum overflows, allocates any length that a
/// client sends, and overruns a stack buffer on repeated management records. So every byte passes
/// this state machine before libfcgi reads it. Record layout: FastCGI Specification 1.0, sections
/// 3.3, 3.4 and 5.
struct FastCGIRecordValidator {
  /// The limit of one request's names and values with their lengths, in bytes. nginx accepts 32 KiB
  /// of headers; its own parameters take about 1 KiB more.
  static let parameterLimit = 96 * 1024

  private(set) var stage = Stage.begin
  /// The number of bytes checked so far.
  private(set) var checked = 0
  /// The offset of the end of the parameters.
  private(set) var openingLength = 0

  private var requestID: UInt16 = 0
  private var header: (bytes: [UInt8], filled: Int) = ([UInt8](repeating: 0, count: 8), 0)
  private var contentLeft = 0
  private var paddingLeft = 0
  private var begin: (role: UInt16, seen: Int) = (0, 0)
  private var pairs = FastCGIParamsValidator(limit: parameterLimit)

  enum Stage: Equatable { case begin, parameters, body, ended }

  private enum Kind: UInt8 {
    case begin = 1
    case parameters = 4
    case body = 5
  }

  /// Checks the next bytes; bytes after the end of the body are ignored.
  ///
  /// Throws `FastCGIError.malformed`.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) throws {
    var position = 0
    while position < bytes.count && stage != .ended {
      if contentLeft > 0 {
        let count = min(contentLeft, bytes.count - position)
        try content(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
        contentLeft -= count
        position += count
      } else if paddingLeft > 0 {
        let count = min(paddingLeft, bytes.count - position)
        paddingLeft -= count
        position += count
      } else {
        header.bytes[header.filled] = bytes[position]
        header.filled += 1
        position += 1
        if header.filled == 8 { try recordStarts(at: checked + position) }
      }
    }
    checked += position
  }

  private mutating func recordStarts(at position: Int) throws {
    header.filled = 0
    let bytes = header.bytes
    guard bytes[0] == 1 else { throw FastCGIError.malformed("version \(bytes[0])") }
    guard let kind = Kind(rawValue: bytes[1]) else {
      throw FastCGIError.malformed("record type \(bytes[1])")
    }
    let id = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    contentLeft = Int(bytes[4]) << 8 | Int(bytes[5])
    paddingLeft = Int(bytes[6])

    switch (stage, kind) {
    case (.begin, .begin):
      guard id != 0 else { throw FastCGIError.malformed("request id 0") }
      guard begin.seen == 0, contentLeft == 8 else {
        throw FastCGIError.malformed("begin record")
      }
      requestID = id
      return
    case (.begin, _) where begin.seen == 8:
      stage = .parameters
    default: break
    }

    guard id == requestID, id != 0 else { throw FastCGIError.malformed("request id \(id)") }
    switch (stage, kind) {
    case (.parameters, .parameters):
      if contentLeft == 0 {
        try pairs.end()
        stage = .body
        openingLength = position
      }
    case (.body, .body):
      if contentLeft == 0 { stage = .ended }
    default:
      throw FastCGIError.malformed("record type \(kind.rawValue) out of turn")
    }
  }

  private mutating func content(_ bytes: UnsafeRawBufferPointer) throws {
    switch stage {
    case .begin:
      for byte in bytes {
        if begin.seen < 2 { begin.role = begin.role << 8 | UInt16(byte) }
        begin.seen += 1
        if begin.seen == 2 && begin.role != 1 {
          throw FastCGIError.malformed("role \(begin.role)")
        }
      }
    case .parameters:
      try pairs.feed(bytes)
    case .body, .ended:
      break
    }
  }
}
