import Core

/// The reason why a form cannot be read.
public enum FormError: Error, Hashable, Sendable {
  /// Malformed: a bad escape, text that is not UTF-8, a broken part.
  case malformed
  /// More than 1,000 fields (docs/developer/web-security.md#limits-of-requests).
  case tooManyFields
  /// The name of a field is longer than 256 bytes.
  case nameTooLong
  /// A value is over its limits (`FieldLimits`).
  case fieldTooLong
  /// The names and values of all fields together, or the head of a part, are over the limit.
  case tooLarge
  /// The body ended before its last boundary.
  case truncated
}

/// Parses `application/x-www-form-urlencoded`, the encoding of simple bodies and of queries (WHATWG
/// URL, section 5.1), but strictly: malformed input is rejected, not guessed.
public enum FormDecoding {
  /// The maximum number of fields (docs/developer/web-security.md#limits-of-requests).
  public static let maximumFields = 1000

  /// The maximum length of a field's name, in bytes
  /// (docs/developer/web-security.md#limits-of-requests).
  public static let maximumNameBytes = 256

  /// The fields in order, repeated names included. Throws `FormError.malformed`, `.tooManyFields`,
  /// `.nameTooLong`, and `.fieldTooLong` for a value over `limits`.
  public static func decode(
    _ bytes: [UInt8], limits: FieldLimits = .line
  ) throws(FormError) -> [(String, String)] {
    var fields: [(String, String)] = []
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      guard fields.count < maximumFields else { throw .tooManyFields }
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      // An escaped byte takes three bytes.
      guard equals - pair.startIndex <= 3 * maximumNameBytes else { throw .nameTooLong }
      guard pair.endIndex - equals <= 3 * limits.bytes + 1 else { throw .fieldTooLong }
      let (name, value) = (
        try unescaped(pair[..<equals]), try unescaped(pair[equals...].dropFirst())
      )
      guard name.utf8.count <= maximumNameBytes else { throw .nameTooLong }
      guard limits.bound(value) else { throw .fieldTooLong }
      fields.append((name, value))
    }
    return fields
  }

  private static func unescaped(_ escaped: ArraySlice<UInt8>) throws(FormError) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(escaped.count)
    var position = escaped.startIndex
    while position < escaped.endIndex {
      switch escaped[position] {
      case UInt8(ascii: "+"):
        plain.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard escaped.endIndex - position > 2, let high = digit(escaped[position + 1]),
          let low = digit(escaped[position + 2])
        else { throw .malformed }
        plain.append(high << 4 | low)
        position += 2
      case let byte:
        plain.append(byte)
      }
      position += 1
    }
    guard let text = String(validating: plain, as: UTF8.self), text.isQuickToNormalise else {
      throw .malformed
    }
    return text
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
