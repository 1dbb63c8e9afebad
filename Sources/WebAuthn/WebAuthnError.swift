/// The check that a response from a browser fails.
public enum WebAuthnError: String, Error, Sendable, CaseIterable {
  /// Not a response in the form of the specification, or too long.
  case malformed
  /// Client data of another ceremony (`type`).
  case type
  /// Not the challenge that was given to this browser.
  case challenge
  /// Made for another website.
  case origin
  /// Made in a frame of another website.
  case crossOrigin
  /// Made for another relying party.
  case relyingParty
  /// The person did not touch the authenticator.
  case userPresence
  /// The authenticator did not verify the person.
  case userVerification
  /// Backed up though that is impossible, or otherwise than at registration.
  case backup
  /// A public key of another kind than was asked for.
  case algorithm
  /// A public key that is no such key.
  case publicKey
  /// Another credential than the one that is checked, or an id that is too long.
  case credential
  /// The credential of another user.
  case user
  case signature
}
