/// Validates the name and value lengths of a parameter stream (FastCGI Specification 1.0, section
/// 3.4) without storing the pairs.
struct FastCGIParamsValidator {
  private let limit: Int
  private var total = 0
  private var step = Step.nameLength
  private var length = (value: 0, bytesLeft: 0)
  private var nameLength = 0
  private var skip = 0

  private enum Step { case nameLength, valueLength, text }

  init(limit: Int) {
    self.limit = limit
  }

  /// Throws `FastCGIError.malformed` if the pairs together are longer than the limit.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) throws {
    total += bytes.count
    guard total <= limit else { throw FastCGIError.malformed("parameters too long") }
    var position = 0
    while position < bytes.count {
      if step == .text {
        let count = min(skip, bytes.count - position)
        skip -= count
        position += count
        if skip == 0 { step = .nameLength }
      } else {
        try lengthByte(bytes[position])
        position += 1
      }
    }
  }

  /// Throws `FastCGIError.malformed` if the stream ends inside a pair.
  func end() throws {
    guard step == .nameLength, length.bytesLeft == 0 else {
      throw FastCGIError.malformed("parameters end inside a pair")
    }
  }

  private mutating func lengthByte(_ byte: UInt8) throws {
    if length.bytesLeft > 0 {
      length.value = length.value << 8 | Int(byte)
      length.bytesLeft -= 1
    } else if byte & 0x80 != 0 {
      length = (Int(byte & 0x7f), 3)
    } else {
      length = (Int(byte), 0)
    }
    guard length.bytesLeft == 0 else { return }
    guard length.value <= limit else { throw FastCGIError.malformed("parameter too long") }

    if step == .nameLength {
      nameLength = length.value
      step = .valueLength
    } else {
      skip = nameLength + length.value
      step = skip == 0 ? .nameLength : .text
    }
  }
}
