import Foundation

/// An e-mail address to which mail can be sent: ASCII throughout, internationalised domains in
/// punycode (docs/developer/deletion-and-export.md).
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
  /// The most bytes of a whole address (docs/developer/pages-and-forms.md#limits-of-fields; RFC
  /// 5321, section 4.5.3.1.3).
  public static let mostBytes = 254

  /// What stands before the @, in the letters that were typed.
  public let localPart: String
  /// What stands behind the @, lower case.
  public let domain: String

  /// Reads what somebody typed: spaces around it, full-width forms and a last dot are forgiven.
  /// Throws `MailAddressError`.
  public init(_ typed: String) throws(MailAddressError) {
    (localPart, domain) = try MailAddressParsing.parts(of: typed)
  }

  /// The address to write to: the local part's case is kept, since it is the receiver's to judge.
  public var description: String { "\(localPart)@\(domain)" }

  /// The form by which two addresses are the same for us: lower case throughout.
  public var normalised: String { description.lowercased() }
}

/// What is wrong with a typed address, with what is needed to say so helpfully.
public enum MailAddressError: Error, Hashable, Sendable {
  case empty
  case tooLong
  case missingAt
  case severalAt
  /// There are spaces inside; without them it would be the suggestion, if that is an address.
  case spaces(suggestion: String?)
  /// A comma in the domain behind `after`; with a dot it would be the suggestion, if that is one.
  case comma(after: String, suggestion: String?)
  /// Nothing stands before the @.
  case missingLocalPart
  /// What stands before the @ has a character that cannot be there.
  case characterInLocalPart(Character)
  /// What stands before the @ is too long, or its dots are wrong.
  case localPart
  /// Nothing stands behind the @.
  case missingDomain
  /// The domain has no dot: its ending is missing.
  case incompleteDomain
  /// The domain has a part that no domain has.
  case domain
}
