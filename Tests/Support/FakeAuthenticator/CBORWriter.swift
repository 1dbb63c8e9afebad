/// Writes CBOR, well formed or not.
enum CBORWriter {
  static func head(_ major: UInt8, _ number: Int) -> [UInt8] {
    switch number {
    case ..<24: [major << 5 | UInt8(number)]
    case ..<256: [major << 5 | 24, UInt8(number)]
    default: [major << 5 | 25, UInt8(number >> 8), UInt8(number & 0xFF)]
    }
  }

  static func number(_ number: Int) -> [UInt8] {
    number < 0 ? head(1, -1 - number) : head(0, number)
  }

  static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

  static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

  static func map(_ entries: [([UInt8], [UInt8])]) -> [UInt8] {
    head(5, entries.count) + entries.flatMap { $0.0 + $0.1 }
  }
}
