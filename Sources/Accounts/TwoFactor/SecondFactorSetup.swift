import Foundation
import QRCode
import Secrets
import Templates

/// A secret in the formats of authenticator apps: a QR code, and the same as text.
struct SecondFactorSetup: View {
  private let code: QRCode
  private let text: String

  /// `account` is its name in the app.
  init(secret: [UInt8], account: String) throws {
    text = Base32.text(secret)
    code = try QRCode(Self.address(secret: text, account: account))
  }

  /// "otpauth://totp/PairSpot:ann%40example.test?secret=…", the common format of authenticator
  /// apps.
  static func address(secret: String, account: String) -> String {
    let name = account.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
    return "otpauth://totp/PairSpot:\(name)?secret=\(secret)&issuer=PairSpot&algorithm=SHA1"
      + "&digits=6&period=\(TOTP.period)"
  }

  static let fields: [String: Field<SecondFactorSetup>] = [
    "qr_path": .text { $0.code.svgPath },
    "qr_side": .text { String($0.code.svgSide) },
    "secret": .text { $0.text.inGroups(of: 4) },
  ]
}

extension CharacterSet {
  /// Unreserved characters of RFC 3986, section 2.3.
  fileprivate static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
