import Ccrypto
import Core
import FakeAppStore
import Foundation
import Testing

@testable import Certificates

@Suite("The times of a certificate")
struct CertificateTimeTests {
  private static let now = Instant(milliseconds: 1_772_409_600_000)

  private enum Tag {
    static let integer: UInt8 = 0x02
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
  }

  /// Reads a time in DER with this tag.
  private func read(_ text: String, _ tag: UInt8) throws -> Instant {
    let bytes = [tag, UInt8(text.utf8.count)] + Array(text.utf8)
    let time = bytes.withUnsafeBufferPointer { buffer in
      var place = buffer.baseAddress
      return d2i_ASN1_TIME(nil, &place, buffer.count)
    }
    defer { ASN1_TIME_free(time) }
    return try Certificate.moment(time.map { UnsafePointer($0) })
  }

  @Test(
    "with two digits of a year are of 1950 to 2049",
    arguments: [
      ("000101000000Z", "2000-01-01T00:00:00Z"), ("260302112233Z", "2026-03-02T11:22:33Z"),
      ("491231235959Z", "2049-12-31T23:59:59Z"), ("500101000000Z", "1950-01-01T00:00:00Z"),
      ("991231235959Z", "1999-12-31T23:59:59Z"), ("000229000000Z", "2000-02-29T00:00:00Z"),
    ])
  func short(text: String, moment: String) throws {
    #expect(try read(text, Tag.utcTime).rfc3339 == moment)
  }

  @Test(
    "with four digits are of that year, the last that there is too",
    arguments: [
      ("20500101000000Z", "2050-01-01T00:00:00Z"), ("20260302112233Z", "2026-03-02T11:22:33Z"),
      ("19491231235959Z", "1949-12-31T23:59:59Z"), ("99991231235959Z", "9999-12-31T23:59:59Z"),
    ])
  func full(text: String, moment: String) throws {
    #expect(try read(text, Tag.generalizedTime).rfc3339 == moment)
  }

  @Test(
    "that no calendar has, or in another form than that of certificates, are refused",
    arguments: [
      "", "Z", "2603020000Z", "260302000000", "260302000000+0000", "2603020000000Z",
      "260302000000.5Z", "261302000000Z", "260002000000Z", "260230000000Z", "260300000000Z",
      "260302240000Z", "260302006000Z", "260302000060Z", "26030200000aZ", "-60302000000Z",
      "260302000000z", "250229000000Z", "20260302000000Z",
    ])
  func broken(text: String) {
    #expect(throws: CertificateError.malformed) { try read(text, Tag.utcTime) }
    // Adding the century makes none of them valid.
    guard text.count != 15 else { return }
    #expect(throws: CertificateError.malformed) {
      try read("20\(text)", Tag.generalizedTime)
    }
  }

  @Test("with two digits under the tag of four, or under that of something else, are refused")
  func tags() {
    for tag in [Tag.generalizedTime, Tag.integer, 0x0C] {
      #expect(throws: CertificateError.malformed) { try read("260302000000Z", tag) }
    }
  }

  @Test("are read in either form, and beside each other")
  func forms() throws {
    var options = FakeAppStore.Options(
      leafFrom: Self.now.adding(seconds: -.days(10)),
      leafUntil: Self.now.adding(seconds: .days(10)))
    let short = try FakeAppStore(now: Self.now, options: options)
    options.timesInFull = true
    let full = try FakeAppStore(now: Self.now, options: options)
    options.timesInFull = false
    options.leafUntil = Self.now.adding(seconds: .days(365 * 30))
    let mixed = try FakeAppStore(now: Self.now, options: options)
    // With the first digits of the time, so that no key matches by chance.
    let (two, four) = (Data([0x17, 0x0D] + "26".utf8), Data([0x18, 0x0F] + "20".utf8))
    for (apple, forms) in [(short, [two]), (full, [four]), (mixed, [two, four])] {
      let leaf = try Certificate(der: apple.leaf)
      #expect(leaf.notBefore == Self.now.adding(seconds: -.days(10)))
      for form in [two, four] {
        let isThere = Data(apple.leaf).range(of: form) != nil
        #expect(isThere == forms.contains(form))
      }
      let text = try apple.sign("{\"signedDate\":\(Self.now.milliseconds)}")
      let statement = try X5CSignedJWS(
        text, root: try Certificate(der: apple.root), markers: .appStore)
      #expect(statement.signedAt == Self.now)
    }
  }
}
