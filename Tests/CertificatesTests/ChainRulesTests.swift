import Core
import FakeAppStore
import Testing

@testable import Certificates

/// The requirements of RFC 5280 on a certification path (sections 4.2 and 6.1), one fault at a
/// time.
@Suite("A chain of certificates")
struct ChainRulesTests {
  private static let now = Instant(milliseconds: 1_772_409_600_000)
  private static let signs: UInt8 = 0x80
  private static let signsLists: UInt8 = 0x02
  private static let agrees: UInt8 = 0x08

  private func day(_ days: Int64) -> Instant { Self.now.adding(seconds: .days(days)) }

  /// The error of a signature with these certificates.
  private func problem(
    at moment: Instant = now, _ change: (inout FakeAppStore.Options) -> Void
  ) throws -> X5CSignedJWSError? {
    var options = FakeAppStore.Options(leafFrom: day(-10), leafUntil: day(10))
    change(&options)
    let apple = try FakeAppStore(now: Self.now, options: options)
    let (root, text) = (
      try Certificate(der: apple.root), try apple.sign("{\"signedDate\":\(moment.milliseconds)}")
    )
    do throws(X5CSignedJWSError) {
      _ = try X5CSignedJWS(text, root: root, markers: .appStore)
      return nil
    } catch {
      return error
    }
  }

  @Test("is fine when nothing is wrong, with lengths and without")
  func good() throws {
    #expect(try problem { _ in } == nil)
    #expect(try problem { ($0.rootLength, $0.intermediateLength) = (1, nil) } == nil)
    #expect(try problem { ($0.rootLength, $0.intermediateLength) = (7, 3) } == nil)
  }

  @Test("is checked at that time: the intermediate and the root like the leaf")
  func validity() throws {
    // Both limits of the validity are inclusive.
    for (moment, isGood) in [(day(-1), true), (Self.now, true), (day(1), false)] {
      let wrong: X5CSignedJWSError? = isGood ? nil : .certificate(.notValidThen)
      #expect(try problem(at: moment) { $0.intermediateUntil = Self.now } == wrong)
      #expect(try problem(at: moment) { $0.rootUntil = Self.now } == wrong)
    }
    for (moment, isGood) in [(day(-1), false), (Self.now, true), (day(1), true)] {
      let wrong: X5CSignedJWSError? = isGood ? nil : .certificate(.notValidThen)
      #expect(try problem(at: moment) { $0.intermediateFrom = Self.now } == wrong)
      #expect(try problem(at: moment) { $0.rootFrom = Self.now } == wrong)
    }
  }

  @Test("goes through no intermediate whose key is for something else, authority or not")
  func usage() throws {
    for bits in [Self.signs, Self.signsLists, Self.signs | Self.signsLists] {
      #expect(try problem { $0.intermediateUsage = bits } == .certificate(.broken))
    }
  }

  @Test("begins with no leaf whose key isn't for signing")
  func leafUsage() throws {
    for bits in [Self.agrees, Self.signsLists, 0x40 as UInt8] {
      #expect(try problem { $0.leafUsage = bits } == .certificate(.broken))
    }
    #expect(try problem { $0.leafUsage = Self.signs | Self.agrees } == nil)
  }

  @Test("is no longer than its authorities let it be")
  func length() throws {
    #expect(try problem { $0.rootLength = 0 } == .certificate(.broken))
    // A negative length, and a length in a certificate that is no authority.
    #expect(try problem { $0.intermediateLength = 0xFF } == .certificate(.malformed))
    #expect(try problem { $0.leafLength = 0 } == .certificate(.malformed))
  }

  @Test("signs by ES256 alone: a leaf on P-384 makes no such signature")
  func longLeaf() throws {
    #expect(try problem { $0.isLeafLong = true } == .signature)
  }

  @Test("has no unknown critical extension, in any certificate")
  func unknown() throws {
    let strange = FakeAppStore.Extension("1.2.3.4", isCritical: true)
    #expect(try problem { $0.leafExtensions = [strange] } == .certificate(.malformed))
    #expect(try problem { $0.intermediateExtensions = [strange] } == .certificate(.malformed))
    let harmless = FakeAppStore.Extension("1.2.3.4", isCritical: false)
    #expect(
      try problem { ($0.leafExtensions, $0.intermediateExtensions) = ([harmless], [harmless]) }
        == nil)
    // Name and policy constraints are not implemented, so critical ones are rejected.
    for name in ["2.5.29.30", "2.5.29.36", "2.5.29.54"] {
      let binding = FakeAppStore.Extension(name, isCritical: true, content: [0x30, 0x00])
      #expect(try problem { $0.intermediateExtensions = [binding] } == .certificate(.malformed))
    }
  }

  @Test("says critically of no key that it is for a purpose of others")
  func purposes() throws {
    let (web, any) = ("1.3.6.1.5.5.7.3.1", "2.5.29.37.0")
    for names in [[web], [web, any]] {
      let critical = FakeAppStore.Extension.purposes(names, isCritical: true)
      #expect(try problem { $0.leafExtensions = [critical] } == .certificate(.malformed))
      #expect(try problem { $0.intermediateExtensions = [critical] } == .certificate(.malformed))
    }
  }

  @Test("has no extension twice")
  func twice() throws {
    let mark = FakeAppStore.Extension("1.2.3.4", isCritical: false)
    #expect(try problem { $0.leafExtensions = [mark, mark] } == .certificate(.malformed))
  }

  @Test("ends at a root, which signed itself")
  func root() throws {
    let apple = try FakeAppStore(now: Self.now)
    #expect(try Certificate(der: apple.root).isSelfSigned)
    #expect(!(try Certificate(der: apple.intermediate).isSelfSigned))
    #expect(!(try Certificate(der: apple.leaf).isSelfSigned))
  }
}
