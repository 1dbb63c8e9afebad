import Foundation
import Secrets

/// The reason why an authorization response brings no code.
public enum AuthorizationError: Error, Equatable, Sendable {
  /// The response belongs to another request or to none.
  case state
  /// The response names another issuer, or none though the provider always does (RFC 9207, section
  /// 2.4).
  case issuer
  /// The provider's error code (RFC 6749, section 4.1.2.1); "access_denied" or Apple's
  /// "user_cancelled_authorize" if the person declined.
  case denied(code: String)
  /// Neither a code nor an error, or too long.
  case malformed
}

/// The fields that the browser brings back to the redirect URI, in a query or a form.
public struct AuthorizationResponse: Sendable {
  private static let maximumCodeBytes = 4096
  private static let maximumErrorBytes = 100

  private let state: String?
  private let code: String?
  private let error: String?
  private let issuer: String?
  /// The name that a person gave to Apple; nil except at the first sign-in. Not signed: a proposal
  /// for a name, no more.
  public let proposedName: ProposedName?

  /// Reads the fields by their names.
  public init(_ field: (String) -> String?) {
    state = field("state")
    code = field("code")
    error = field("error")
    issuer = field("iss")
    proposedName = field("user").flatMap(ProposedName.init(json:))
  }

  /// The code, after all checks. Throws `AuthorizationError`.
  func code(
    for request: AuthorizationRequest, from document: DiscoveryDocument
  ) throws(AuthorizationError) -> String {
    guard let state, ConstantTime.equal(Array(state.utf8), Array(request.state.utf8)) else {
      throw .state
    }
    guard issuer == document.issuer || (issuer == nil && !document.namesIssuerInResponses) else {
      throw .issuer
    }
    if let error {
      guard let code = Self.errorCode(error) else { throw .malformed }
      throw .denied(code: code)
    }
    guard let code, !code.isEmpty, code.utf8.count <= Self.maximumCodeBytes else {
      throw .malformed
    }
    return code
  }

  /// An error code if it is short and visible ASCII, so that it may be logged.
  static func errorCode(_ text: String) -> String? {
    !text.isEmpty && text.utf8.count <= maximumErrorBytes
      && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? text : nil
  }
}

/// The name in Apple's `user` field, which is sent at the first sign-in only ("Request an
/// authorization to the Sign in with Apple server", developer.apple.com).
public struct ProposedName: Sendable, Equatable {
  private static let maximumBytes = 4096

  public let givenName: String?
  public let familyName: String?

  public var full: String { [givenName, familyName].compactMap { $0 }.joined(separator: " ") }

  private struct Fields: Decodable {
    struct Name: Decodable {
      let firstName: String?
      let lastName: String?
    }
    let name: Name?
  }

  init?(json: String) {
    guard json.utf8.count <= Self.maximumBytes,
      let name = (try? JSONDecoder().decode(Fields.self, from: Data(json.utf8)))?.name
    else { return nil }
    givenName = name.firstName
    familyName = name.lastName
  }
}
