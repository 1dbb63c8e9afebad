import Core
import Foundation

/// What somebody typed as a code: the app's, or a recovery code.
enum OneTimeCodeInput: Equatable {
  /// Six digits of the authenticator app.
  case timed(String)
  /// The twelve digits of a recovery code.
  case recovery(String)

  /// Spaces, hyphens and full-width digits are forgiven; nil for anything else.
  init?(_ typed: String) {
    // Far more than any code has: no work is done for a flood of spaces.
    guard let plain = typed.compatible(upTo: 200) else { return nil }
    let digits = plain.unicodeScalars.filter {
      !Self.separators.contains($0)
    }
    guard digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    let text = String(String.UnicodeScalarView(digits))
    switch digits.count {
    case 6: self = .timed(text)
    case RecoveryCode.digits: self = .recovery(text)
    default: return nil
    }
  }

  private static let separators = CharacterSet.whitespacesAndNewlines.union(
    CharacterSet(charactersIn: "-‐‑–—"))
}
