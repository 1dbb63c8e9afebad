import Crypto

/// Codes of authenticator apps: TOTP with SHA-1 and steps of 30 s (RFC 6238).
public struct TOTP: Sendable {
  /// How long a code is shown, in s.
  public static let period: Int64 = 30
  /// The number of steps that a clock may be ahead or behind.
  public static let drift: Int64 = 1
  /// The length of a secret in bytes: that of SHA-1 (RFC 4226, section 4, requirement R6).
  public static let secretLength = 20

  private let secret: [UInt8]
  private let digits: Int

  public init(secret: [UInt8], digits: Int = 6) {
    self.secret = secret
    self.digits = digits
  }

  /// The step at a time.
  public static func step(at secondsSince1970: Int64) -> Int64 { secondsSince1970 / period }

  /// The code of a step (RFC 4226, section 5.3).
  public func code(step: Int64) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian, Array.init)
    let hash = Array(
      HMAC<Insecure.SHA1>.authenticationCode(
        for: counter, using: SymmetricKey(data: secret)))
    let offset = Int(hash[hash.count - 1] & 0xF)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let range = (0..<digits).reduce(UInt64(1)) { product, _ in product * 10 }
    let text = String(UInt64(number) % range)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// The step of a code, near the current time and after the last used one, since a step works once
  /// (RFC 6238, section 5.2). Nil if the code is wrong.
  public func step(
    of code: String, at secondsSince1970: Int64, after last: Int64?
  ) -> Int64? {
    let entered = Array(code.utf8)
    let current = Self.step(at: secondsSince1970)
    var found: Int64?
    // All steps are compared, so that the time reveals nothing.
    for step in current - Self.drift...current + Self.drift {
      let same = ConstantTime.equal(Array(self.code(step: step).utf8), entered)
      if same, found == nil, last.map({ step > $0 }) ?? true { found = step }
    }
    return found
  }
}
