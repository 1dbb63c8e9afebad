import Foundation
import Secrets

/// A JSON Web Signature in compact form (RFC 7515, section 3.1), decoded but not verified.
public struct CompactJWS: Sendable {
  /// The header fields that are read (RFC 7515, section 4.1).
  public struct Header: Decodable, Sendable {
    public let alg: String
    public let kid: String?
    public let typ: String?
  }

  public let header: Header
  public let payload: [UInt8]
  public let signature: [UInt8]
  /// The signed bytes: header and payload in base64url with a dot between them (RFC 7515, section
  /// 5.2).
  public let signedBytes: Data

  /// Header fields that change the processing (RFC 7515, section 4.1.11). Tokens with them are
  /// rejected.
  private struct Extensions: Decodable {
    let crit: [String]?
    let b64: Bool?
    let zip: String?
  }

  /// Decodes a token of at most a number of bytes. Nil if it is longer, is not three parts in
  /// canonical base64url, or has a header that is unreadable or asks for an extension.
  public init?(_ text: String, maximumBytes: Int) {
    guard text.utf8.count <= maximumBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let head = Base64URL.bytes(parts[0]),
      let payload = Base64URL.bytes(parts[1]), let signature = Base64URL.bytes(parts[2]),
      let header = try? JSONDecoder().decode(Header.self, from: Data(head)),
      let extensions = try? JSONDecoder().decode(Extensions.self, from: Data(head)),
      extensions.crit == nil, extensions.b64 == nil, extensions.zip == nil
    else { return nil }
    self.header = header
    self.payload = payload
    self.signature = signature
    signedBytes = Data("\(parts[0]).\(parts[1])".utf8)
  }

  /// Writes a token. `sign` makes the signature of the signed bytes.
  public static func text(
    header: some Encodable, claims: some Encodable, sign: (Data) throws -> Data
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let parts = [try encoder.encode(header), try encoder.encode(claims)].map { Base64URL.text($0) }
    let text = parts.joined(separator: ".")
    return "\(text).\(Base64URL.text(try sign(Data(text.utf8))))"
  }
}
