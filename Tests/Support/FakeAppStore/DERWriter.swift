import Core
import Foundation

/// Writes DER, as far as certificates need it.
enum DERWriter {
  static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    if count < 0x100 { return [tag, 0x81, UInt8(count)] + content }
    return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
  }

  static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts.flatMap { $0 }) }
  static func bits(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }
  static func octets(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }

  static func oid(_ dotted: String) -> [UInt8] {
    let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
    let all = [arcs[0] * 40 + arcs[1]] + arcs[2...]
    return value(
      0x06,
      all.flatMap { arc -> [UInt8] in
        var bytes = [UInt8(arc & 0x7F)]
        var left = arc >> 7
        while left > 0 {
          bytes.insert(UInt8(left & 0x7F) | 0x80, at: 0)
          left >>= 7
        }
        return bytes
      })
  }

  /// A name of one attribute, the common name.
  static func name(_ common: String) -> [UInt8] {
    sequence(value(0x31, sequence(oid("2.5.4.3"), value(0x0C, Array(common.utf8)))))
  }

  /// In the type required for the year (RFC 5280, section 4.1.2.5): UTCTime, with a two-digit year,
  /// from 1950 to 2049; `inFull`: GeneralizedTime in any case.
  static func moment(_ moment: Instant, inFull: Bool = false) -> [UInt8] {
    let digits = moment.rfc3339.filter(\.isNumber)
    let isShort = !inFull && "1950"..<"2050" ~= digits.prefix(4)
    return value(isShort ? 0x17 : 0x18, Array((digits.dropFirst(isShort ? 2 : 0) + "Z").utf8))
  }

  /// A key usage of up to eight bits.
  static func usage(_ bits: UInt8) -> [UInt8] {
    value(0x03, [UInt8(bits.trailingZeroBitCount), bits])
  }

  static func `extension`(_ name: String, critical: Bool = false, _ content: [UInt8]) -> [UInt8] {
    critical
      ? sequence(oid(name), [0x01, 0x01, 0xFF], octets(content))
      : sequence(oid(name), octets(content))
  }
}
