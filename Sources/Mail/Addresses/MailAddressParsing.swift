import Core
import Foundation

/// Parses addresses in the form of RFC 5321, without the forms that no provider uses: quoted local
/// parts, comments, and IP addresses in brackets.
enum MailAddressParsing {
  private static let longestLocalPart = 64
  private static let longestLabel = 63
  private static let longestDomain = 253
  private static let ideographicStop: Character = "\u{3002}"
  private static let ideographicComma: Character = "\u{3001}"

  /// Local part and ASCII domain of a typed address.
  static func parts(of typed: String) throws(MailAddressError) -> (String, String) {
    guard let text = unified(typed) else { throw .tooLong }
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
    guard local.utf8.count + 1 + domain.utf8.count <= MailAddress.mostBytes else {
      throw .tooLong
    }
    return (local, domain)
  }

  /// The trimmed text, with full-width characters as their plain forms; nil if it is longer than
  /// any address.
  private static func unified(_ typed: String) -> String? {
    guard
      let plain = typed.compatible(upTo: 4 * MailAddress.mostBytes)?
        .trimmingCharacters(in: .whitespacesAndNewlines),
      plain.utf8.count <= 4 * MailAddress.mostBytes
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
    guard local.utf8.count <= longestLocalPart, words.allSatisfy({ !$0.isEmpty }) else {
      throw .localPart
    }
  }

  /// The characters of `atext` (RFC 5322, section 3.2.3).
  private static func isAtomText(_ character: Character) -> Bool {
    guard character.isASCII else { return false }
    return character.isLetter || character.isNumber || "!#$%&'*+-/=?^_`{|}~".contains(character)
  }

  private static func asciiDomain(
    _ typed: String, local: String
  ) throws(MailAddressError) -> String {
    guard !typed.isEmpty, typed != "." else { throw .missingDomain }
    if let comma = typed.firstIndex(where: { $0 == "," || $0 == ideographicComma }) {
      let dotted = typed.map { $0 == "," || $0 == ideographicComma ? "." : $0 }
      throw .comma(
        after: String(typed[..<comma]), suggestion: address("\(local)@\(String(dotted))"))
    }
    var names = typed.split(separator: ".", omittingEmptySubsequences: false)
    if names.last?.isEmpty == true { names.removeLast() }
    guard names.count > 1 else { throw .incompleteDomain }

    var labels: [String] = []
    for name in names {
      labels.append(try asciiLabel(String(name)))
    }
    let domain = labels.joined(separator: ".")
    let endsInNumber = labels.last?.allSatisfy(\.isNumber) ?? true
    guard domain.utf8.count <= longestDomain, !endsInNumber else { throw .domain }
    return domain
  }

  /// One label in lower case, in punycode if needed (RFC 5890, section 2.3.1).
  private static func asciiLabel(_ typed: String) throws(MailAddressError) -> String {
    guard let folded = typed.lowercased().compatible(upTo: 4 * MailAddress.mostBytes),
      !folded.isEmpty, folded.first != "-", folded.last != "-",
      folded.unicodeScalars.allSatisfy(isOfLabel),
      folded.unicodeScalars.first.map({ !isMark($0) }) ?? false
    else { throw .domain }
    guard !folded.utf8.allSatisfy({ $0 < 128 }) else {
      guard folded.utf8.count <= longestLabel else { throw .domain }
      return folded
    }
    guard let code = Punycode.encode(folded), code.utf8.count + 4 <= longestLabel else {
      throw .domain
    }
    return "xn--" + code
  }

  private static func isOfLabel(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "-" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: return true
    default: return isMark(scalar)
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark: true
    default: false
    }
  }
}
