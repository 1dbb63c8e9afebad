import Core
import Crypto
import Foundation
import Secrets
import Testing

@testable import WebPush

@Suite("Sealing a push")
struct PushEncryptionTests {
  private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.bytes(text)) }

  @Test("The example of RFC 8291, appendix A, comes out byte by byte")
  func example() throws {
    let own = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    let keys = try #require(
      PushKeys(
        p256dh:
          "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg"))
    let sealed = try PushEncryption.seal(
      Array("When I grow up, I want to be a watermelon".utf8), for: keys, with: own,
      salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    #expect(
      Base64URL.text(sealed)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
        + "InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLV"
        + "WGNWQexSgSxsj_Qulcy4a-fN")
  }

  @Test("The same words are sealed differently each time, and fill no more than 4096 bytes")
  func fresh() throws {
    let browser = P256.KeyAgreement.PrivateKey()
    let keys = try #require(
      PushKeys(
        point: Array(browser.publicKey.x963Representation), secret: [UInt8](repeating: 7, count: 16)
      ))
    let message = [UInt8](repeating: 65, count: PushEncryption.maximumBytes)
    let first = try PushEncryption.seal(message, for: keys)
    #expect(first != (try PushEncryption.seal(message, for: keys)))
    #expect(first.count == 4096)
    #expect(throws: PushEncryption.TooLong.self) {
      try PushEncryption.seal(message + [65], for: keys)
    }
  }

  @Test(
    "Keys that are none are refused",
    arguments: [
      ("", ""), ("AAAA", "BTBZMqHH6r4Tts7J_aSIgg"),
      (
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "BTBZ"
      ),
      // Not on the curve.
      (
        "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "BTBZMqHH6r4Tts7J_aSIgg"
      ),
    ])
  func keys(p256dh: String, auth: String) {
    #expect(PushKeys(p256dh: p256dh, auth: auth) == nil)
  }
}

@Suite("Authentication to a push service")
struct VapidKeyTests {
  private func folder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "vapid-\(UUID())")
  }

  @Test("The key is made once, kept with mode 600, and the same after a restart")
  func kept() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try VapidKey.loadOrMake(in: folder.path)
    #expect(try VapidKey.loadOrMake(in: folder.path).publicText == first.publicText)
    let path = folder.appending(path: VapidKey.fileName).path
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try Data("{}".utf8).write(to: folder.appending(path: VapidKey.fileName))
    #expect(throws: KeyFileError.self) { try VapidKey.loadOrMake(in: folder.path) }
  }

  @Test("The token is for that service alone, signed with ES256, and ends within a day")
  func token() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = try VapidKey.loadOrMake(in: folder.path)
    let header = try key.authorization(
      origin: "https://push.example", subject: "mailto:me@example.test",
      now: Instant(milliseconds: 1_700_000_000_000))
    let match = try #require(
      header.firstMatch(of: /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/))
    let point = try #require(Base64URL.bytes(match.output.4))
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: try #require(Base64URL.bytes(match.output.3)))
    #expect(
      try P256.Signing.PublicKey(x963Representation: point).isValidSignature(
        signature, for: Data("\(match.output.1).\(match.output.2)".utf8)))
    let claims = String(decoding: try #require(Base64URL.bytes(match.output.2)), as: UTF8.self)
    #expect(
      claims
        == #"{"aud":"https://push.example","exp":1700043200,"sub":"mailto:me@example.test"}"#)
  }
}
