/// The check that a provider's token fails.
public enum ProviderTokenError: String, Error, Sendable, CaseIterable {
  /// Not a signed token in compact form, too long, or with claims of other types than defined.
  case malformed
  /// A token of another kind (`typ`; RFC 8725, section 3.11).
  case type
  /// Not RS256 or ES256, or not one that the provider announces.
  case algorithm
  /// Signed with a key that the provider does not have.
  case unknownKey
  case signature
  case issuer
  /// Not for this client, or for others as well.
  case audience
  /// Issued to another client (`azp`).
  case authorizedParty
  case expired
  /// Without a time of issue, or issued or valid in the future.
  case notYetValid
  /// Issued too long ago.
  case tooOld
  /// Not for this request.
  case nonce
  /// Without a subject, or about another one.
  case subject
  /// The person was asked too long ago, or the token does not say when.
  case authenticationTime
  /// For another access token (`at_hash`).
  case accessTokenHash
  /// For another code (`c_hash`).
  case codeHash
  /// Without the event that the token should tell, or with one that it should not.
  case event
  /// Without an identifier (`jti`).
  case identifier
}
