/// A DER value (ITU-T X.690): its tag and contents.
struct DERValue {
  /// Universal tags in certificates (X.690, section 8).
  enum Tag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let oid: UInt8 = 0x06
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    /// Context tags `[0]` and `[3]`, constructed.
    static let version: UInt8 = 0xA0
    static let extensions: UInt8 = 0xA3
  }

  let tag: UInt8
  /// The bytes with tag and length.
  let whole: ArraySlice<UInt8>
  let content: ArraySlice<UInt8>

  var inside: DERReader { DERReader(content) }

  /// The object identifier as "1.2.840.113635"; nil if it is malformed.
  var dotted: String? {
    guard tag == Tag.oid, let last = content.last, last < 0x80 else { return nil }
    var arcs: [UInt64] = []
    var arc: UInt64 = 0
    for byte in content {
      // Rejects arcs of more than 57 bits and leading zero bytes.
      guard arc < 1 << 50, !(arc == 0 && byte == 0x80) else { return nil }
      arc = arc << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 {
        if arcs.isEmpty {
          let first = min(arc / 40, 2)
          arcs = [first, arc - first * 40]
        } else {
          arcs.append(arc)
        }
        arc = 0
      }
    }
    return arcs.map(String.init).joined(separator: ".")
  }

  /// The bytes of a bit string without unused bits; nil otherwise.
  var bits: ArraySlice<UInt8>? {
    guard tag == Tag.bitString, content.first == 0 else { return nil }
    return content.dropFirst()
  }
}

/// Reads consecutive values in the only form that DER allows: definite and minimal lengths.
struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next value; throws `.malformed` if there is none, or its tag is not `tag`.
  mutating func next(_ tag: UInt8? = nil) throws(CertificateError) -> DERValue {
    guard rest.count >= 2 else { throw .malformed }
    let start = rest.startIndex
    let found = rest[start]
    // Certificates have no multi-byte tags.
    guard found & 0x1F != 0x1F, tag == nil || tag == found else { throw .malformed }
    var position = start + 1
    var length = Int(rest[position])
    position += 1
    if length >= 0x80 {
      let count = length & 0x7F
      guard 1...3 ~= count, rest.endIndex - position >= count, rest[position] != 0 else {
        throw .malformed
      }
      length = rest[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 0x80 else { throw .malformed }
      position += count
    }
    guard rest.endIndex - position >= length else { throw .malformed }
    let end = position + length
    let value = DERValue(tag: found, whole: rest[start..<end], content: rest[position..<end])
    rest = rest[end...]
    return value
  }

  /// The next value if it has this tag; nil otherwise.
  mutating func optional(_ tag: UInt8) throws(CertificateError) -> DERValue? {
    rest.first == tag ? try next(tag) : nil
  }

  /// Throws `.malformed` if bytes are left.
  func end() throws(CertificateError) {
    guard isAtEnd else { throw .malformed }
  }
}
