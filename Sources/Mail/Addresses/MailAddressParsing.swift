import Core
import Foundation

/// Parses addresses in the form of RFC 5321, without the forms that no provider uses: quoted local
/// parts, comments, and IP addresses in brackets.
enum MailAddressParsing {
  private static let maximumLocalPartLength = 64
  private static let maximumLabelLength = 63
  private static let maximumDomainLength = 253
  private static let ideographicStop: Character = "\u{3002}"
  private static let ideographicComma: Character = "\u{3001}"

  /// Local part and ASCII domain of a typed address.
  static func parts(of entered: String) throws(MailAddressError) -> (String, String) {
    guard let text = unified(entered) else { throw .tooLong }
    guard !text.isEmpty else { throw .empty }

    let pieces = text.split(separator: "@", omittingEmptySubsequences: false)
    guard pieces.count > 1 else { throw .missingAt }
    guard pieces.count == 2 else { throw .severalAt }
    guard !text.contains(where: \.isWhitespace) else {
      throw .spaces(suggestion: address(text.filter { !$0.isWhitespace }))
    }
    let local = String(pieces[0])
    try checkLocalPart(local)
    let domain = try asciiDomain(String(pieces[1]), local: local)
    guard local.utf8.count + 1 + domain.utf8.count <= MailAddress.maximumBytes else {
      throw .tooLong
    }
    return (local, domain)
  }

  /// The trimmed text, with full-width characters as their plain forms; nil if it is longer than
  /// any address.
  private static func unified(_ entered: String) -> String? {
    guard
      let plain = entered.compatible(upTo: 4 * MailAddress.maximumBytes)?
        .trimmingCharacters(in: .whitespacesAndNewlines),
      plain.utf8.count <= 4 * MailAddress.maximumBytes
    else { return nil }
    return String(plain.map { $0 == ideographicStop ? "." : $0 })
  }

  private static func address(_ text: String) -> String? {
    (try? parts(of: text)).map { "\($0)@\($1)" }
  }

  private static func checkLocalPart(_ local: String) throws(MailAddressError) {
    guard !local.isEmpty else { throw .missingLocalPart }
    if let foreign = local.first(where: { $0 != "." && !isAtomText($0) }) {
      throw .characterInLocalPart(foreign)
    }
    let words = local.split(separator: ".", omittingEmptySubsequences: false)
    guard local.utf8.count <= maximumLocalPartLength, words.allSatisfy({ !$0.isEmpty }) else {
      throw .localPart
    }
  }

  /// The characters of `atext` (RFC 5322, section 3.2.3).
  private static func isAtomText(_ character: Character) -> Bool {
    guard character.isASCII else { return false }
    return character.isLetter || character.isNumber || "!#$%&'*+-/=?^_`{|}~".contains(character)
  }

  private static func asciiDomain(
    _ entered: String, local: String
  ) throws(MailAddressError) -> String {
    guard !entered.isEmpty, entered != "." else { throw .missingDomain }
    if let comma = entered.firstIndex(where: { $0 == "," || $0 == ideographicComma }) {
      let dotted = entered.map { $0 == "," || $0 == ideographicComma ? "." : $0 }
      throw .comma(
        after: String(entered[..<comma]), suggestion: address("\(local)@\(String(dotted))"))
    }
    var names = entered.split(separator: ".", omittingEmptySubsequences: false)
    if names.last?.isEmpty == true { names.removeLast() }
    guard names.count > 1 else { throw .incompleteDomain }

    var labels: [String] = []
    for name in names {
      labels.append(try asciiLabel(String(name)))
    }
    let domain = labels.joined(separator: ".")
    let endsInNumber = labels.last?.allSatisfy(\.isNumber) ?? true
    guard domain.utf8.count <= maximumDomainLength, !endsInNumber else { throw .domain }
    return domain
  }

  /// One label in lower case, in punycode if needed (RFC 5890, section 2.3.1).
  private static func asciiLabel(_ entered: String) throws(MailAddressError) -> String {
    guard let folded = entered.lowercased().compatible(upTo: 4 * MailAddress.maximumBytes),
      !folded.isEmpty, folded.unicodeScalars.first != "-", folded.unicodeScalars.last != "-",
      folded.utf8.allSatisfy({ $0 >= 128 || isOfLabel($0) })
    else { throw .domain }
    if folded.utf8.allSatisfy({ $0 < 128 }) {
      guard folded.utf8.count <= maximumLabelLength else { throw .domain }
      return folded
    }
    guard let code = Punycode.encode(folded) else { throw .domain }
    return "xn--" + code
  }

  private static func isOfLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: byte == UInt8(ascii: "-")
    }
  }
}
