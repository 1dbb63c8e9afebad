import Cidn2

/// Punycode of one label of a domain (RFC 3492), with libidn2.
enum Punycode {
  /// The ASCII form without the prefix "xn--"; nil if the label is not allowed in a domain (RFC
  /// 5891, section 5.4) or too long. The label is in lower case and NFKC; other ways of mapping
  /// characters (UTS 46) are not used.
  static func encode(_ label: String) -> String? {
    var output: UnsafeMutablePointer<CChar>?
    let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NO_TR46.rawValue)
    guard idn2_to_ascii_8z(label, &output, flags) == IDN2_OK.rawValue, let output else {
      return nil
    }
    defer { idn2_free(output) }
    let ascii = String(cString: output)
    return ascii.hasPrefix("xn--") ? String(ascii.dropFirst(4)) : nil
  }
}
