import Core
import Foundation

/// A typed code: the authenticator app's, or a recovery code.
enum OneTimeCodeInput: Equatable {
  /// Six digits of the authenticator app.
  case timed(String)
  /// The twelve digits of a recovery code.
  case recovery(String)

  /// Parses a typed code; spaces, hyphens and full-width digits are accepted. Nil for anything
  /// else.
  init?(_ entered: String) {
    // Far more than any code has; long input is rejected before any work.
    guard let plain = entered.compatible(upTo: 200) else { return nil }
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
