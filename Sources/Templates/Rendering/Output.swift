/// A growing buffer of UTF-8 bytes into which templates write.
///
/// It owns its memory, so it cannot be copied; pass it with `inout`, and reuse it for the next page
/// with `removeAll`.
public struct Output: ~Copyable {
  /// Bytes that may always be written beyond the capacity, so that whole vectors are stored.
  @usableFromInline static let slack = 32

  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  /// The number of bytes written.
  public private(set) var count = 0
  private var capacity: Int

  /// An empty buffer with a capacity of this many bytes.
  public init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity + Self.slack)
  }

  deinit {
    base.deallocate()
  }

  /// A copy of the bytes written so far.
  public var bytes: [UInt8] {
    Array(UnsafeBufferPointer(start: base, count: count))
  }

  /// Gives access to the bytes written so far, without copying.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Empties the buffer and keeps its memory.
  public mutating func removeAll() {
    count = 0
  }

  /// Ensures space for this many more bytes.
  public mutating func reserve(_ more: Int) {
    if capacity - count < more {
      grow(more)
    }
  }

  private mutating func grow(_ more: Int) {
    let wanted = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted + Self.slack)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = wanted
  }

  /// Appends a literal of the program, unescaped.
  public mutating func append(_ text: StaticString) {
    if text.hasPointerRepresentation {
      append(text.utf8Start, count: text.utf8CodeUnitCount)
    } else {
      append(raw: String(text.unicodeScalar))
    }
  }

  /// Appends trusted HTML as it is.
  public mutating func append(_ markup: Markup) {
    append(markup.bytes)
  }

  /// Appends bytes as they are.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      if let start = buffer.baseAddress {
        append(start, count: buffer.count)
      }
    }
  }

  /// Appends a text unescaped: only for text that is not HTML, or was escaped before.
  public mutating func append(raw text: String) {
    withBytes(of: text) { append($0, count: $1) }
  }

  mutating func append(_ start: UnsafePointer<UInt8>, count length: Int) {
    reserve(length)
    (base + count).update(from: start, count: length)
    count += length
  }

  /// Advances the end over bytes that were written in place behind it, within the reserved space.
  mutating func advance(_ length: Int) {
    count += length
  }
}

/// Gives access to a text's UTF-8; native strings are not copied.
func withBytes(of text: String, _ body: (UnsafePointer<UInt8>, Int) -> Void) {
  let done: Void? = text.utf8.withContiguousStorageIfAvailable { buffer in
    if let start = buffer.baseAddress {
      body(start, buffer.count)
    }
  }
  if done == nil {
    var copy = text
    copy.withUTF8 { buffer in
      if let start = buffer.baseAddress {
        body(start, buffer.count)
      }
    }
  }
}
