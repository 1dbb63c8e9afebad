import Core
import FakeAppStore
import Foundation
import Testing

@testable import Certificates

@Suite("A text signed with a chain of certificates")
struct X5CSignedJWSTests {
  private static let now = Instant(milliseconds: 1_772_409_600_000)

  private let apple: FakeAppStore
  private let root: Certificate

  init() throws {
    apple = try FakeAppStore(now: Self.now)
    root = try Certificate(der: apple.root)
  }

  private func payload(_ moment: Instant = now) -> String {
    "{\"signedDate\":\(moment.milliseconds),\"words\":\"so be it\"}"
  }

  private func problem(_ text: String, root other: Certificate? = nil) -> X5CSignedJWSError? {
    do throws(X5CSignedJWSError) {
      _ = try X5CSignedJWS(text, root: other ?? root, markers: .appStore)
      return nil
    } catch {
      return error
    }
  }

  private var options: FakeAppStore.Options {
    .init(
      leafFrom: Self.now.adding(seconds: -.days(10)),
      leafUntil: Self.now.adding(seconds: .days(10)))
  }

  @Test("is believed, with its moment and its words")
  func good() throws {
    let statement = try X5CSignedJWS(
      apple.sign(payload()), root: root, markers: .appStore)
    #expect(statement.signedAt == Self.now)
    #expect(String(decoding: statement.payload, as: UTF8.self) == payload())
    #expect(Certificate(pem: apple.rootPEM)?.bytes == apple.root)
  }

  @Test("counts by the moment of signing, not by now: a leaf that ended since is fine")
  func oldLeaf() throws {
    let old = try apple.with(options, now: Self.now)
    #expect(problem(try old.sign(payload())) == nil)
    for days: Int64 in [-11, 11] {
      let text = try old.sign(payload(Self.now.adding(seconds: .days(days))))
      #expect(problem(text) == .certificate(.notValidThen))
    }
  }

  @Test("with another root, even with ours at its end, is refused")
  func otherRoot() throws {
    let other = try FakeAppStore(now: Self.now)
    #expect(problem(try other.sign(payload())) == .certificate(.wrongRoot))
    let mixed = [other.leaf, other.intermediate, apple.root]
    #expect(problem(try other.sign(payload(), chain: mixed)) == .certificate(.wrongRoot))
    let crossed = [other.leaf, apple.intermediate, apple.root]
    #expect(problem(try other.sign(payload(), chain: crossed)) == .certificate(.broken))
  }

  @Test("without Apple's mark in leaf or intermediate is refused")
  func markers() throws {
    var one = options
    one.leafMarker = nil
    var two = options
    two.intermediateMarker = "1.2.840.113635.100.6.2.2"
    for preference in [one, two] {
      let unmarked = try apple.with(preference, now: Self.now)
      #expect(problem(try unmarked.sign(payload())) == .certificate(.missingMarker))
    }
  }

  @Test("by a leaf that may sign others, or through an intermediate that may not, is refused")
  func authority() throws {
    var leaf = options
    leaf.leafSigns = true
    var middle = options
    middle.intermediateSigns = false
    for preference in [leaf, middle] {
      let wrong = try apple.with(preference, now: Self.now)
      #expect(problem(try wrong.sign(payload())) == .certificate(.broken))
    }
  }

  @Test("with another algorithm than ES256 is refused, with any signature")
  func algorithms() throws {
    #expect(problem(apple.unsigned(payload())) == .algorithm)
    #expect(problem(apple.signHS256(payload())) == .algorithm)
    #expect(problem(try apple.signRSA(payload())) == .algorithm)
    #expect(problem(try apple.signRSA(payload(), algorithm: "ES256")) == .signature)
    for name in ["RS256", "ES384", "none", "es256", ""] {
      #expect(problem(try apple.sign(payload(), algorithm: name)) == .algorithm)
    }
  }

  @Test("with altered words, or another one's signature, is refused")
  func altered() throws {
    let parts = try apple.sign(payload()).split(separator: ".")
    let other = try apple.sign("{\"signedDate\":1}").split(separator: ".")
    #expect(problem("\(parts[0]).\(other[1]).\(parts[2])") == .signature)
    #expect(problem("\(parts[0]).\(parts[1]).\(other[2])") == .signature)
    #expect(problem("\(parts[0]).\(parts[1]).") == .signature)
  }

  @Test("without a date can't be judged")
  func undated() throws {
    #expect(problem(try apple.sign("{}")) == .undated)
    #expect(problem(try apple.sign("[]")) == .undated)
  }

  @Test(
    "is refused when it is no such text at all",
    arguments: [
      "", ".", "..", "a.b.c", "....", "e30.e30.e30",
    ]
  )
  func noText(text: String) {
    #expect(problem(text) == .malformed)
    #expect(problem(text + String(repeating: "A", count: 70_000)) == .malformed)
  }

  @Test("with more or fewer certificates than three is refused")
  func lengths() throws {
    for chain in [[], [apple.leaf], [apple.leaf, apple.intermediate], apple.chain + [apple.root]] {
      #expect(problem(try apple.sign(payload(), chain: chain)) == .certificate(.length))
    }
  }

  @Test("A damaged certificate is refused, never a crash, and never believed")
  func fuzz() throws {
    var generator = SystemRandomNumberGenerator()
    let text = payload()
    for round in 0..<2000 {
      var chain = apple.chain
      let index = round % 2
      let place = Int.random(in: chain[index].indices, using: &generator)
      switch round % 3 {
      case 0: chain[index][place] ^= UInt8.random(in: 1...255, using: &generator)
      case 1: chain[index].remove(at: place)
      default: chain[index].insert(UInt8.random(in: 0...255, using: &generator), at: place)
      }
      if chain[index] == apple.chain[index] { continue }
      #expect(problem(try apple.sign(text, chain: chain)) != nil)
    }
  }
}
