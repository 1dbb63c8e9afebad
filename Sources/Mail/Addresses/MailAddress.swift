import Foundation

/// An e-mail address to which mail can be sent: ASCII, internationalised domains in punycode
/// (docs/developer/deletion-and-export.md).
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
  /// The maximum length of an address, in bytes
  /// (docs/developer/pages-and-forms.md#limits-of-fields; RFC 5321, section 4.5.3.1.3).
  public static let maximumBytes = 254

  /// The part before the @, in its typed case.
  public let localPart: String
  /// The part after the @, in lower case.
  public let domain: String

  /// Parses a typed address: spaces around it, full-width forms and a final dot are accepted.
  /// Throws `MailAddressError`.
  public init(_ entered: String) throws(MailAddressError) {
    (localPart, domain) = try MailAddressParsing.parts(of: entered)
  }

  /// The address to send to. The case of the local part is kept, since its meaning is up to the
  /// receiver.
  public var description: String { "\(localPart)@\(domain)" }

  /// The form for comparing addresses: all in lower case.
  public var normalised: String { description.lowercased() }
}

/// The error of a typed address, with the details for a helpful message.
public enum MailAddressError: Error, Hashable, Sendable {
  case empty
  case tooLong
  case missingAt
  case severalAt
  /// Contains spaces; `suggestion` is the text without them, if that is an address.
  case spaces(suggestion: String?)
  /// A comma in the domain after `after`; `suggestion` has a dot instead, if that is an address.
  case comma(after: String, suggestion: String?)
  /// Nothing precedes the @.
  case missingLocalPart
  /// The local part contains an invalid character.
  case characterInLocalPart(Character)
  /// The local part is too long, or its dots are wrong.
  case localPart
  /// Nothing follows the @.
  case missingDomain
  /// The domain has no dot: its ending is missing.
  case incompleteDomain
  /// The domain has an invalid part.
  case domain
}
