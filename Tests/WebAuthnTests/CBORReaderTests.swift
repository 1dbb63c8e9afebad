import Foundation
import Testing

@testable import FakeAuthenticator
@testable import WebAuthn

@Suite("CBOR")
struct CBORReaderTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  private func failure(_ hex: String) -> CBORError? {
    do throws(CBORError) {
      _ = try CBORReader.read(bytes(hex)[...])
      return nil
    } catch {
      return error
    }
  }

  @Test("Values are read as RFC 8949, appendix A, has them")
  func values() throws {
    for (hex, value) in [
      ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)),
      ("1903e8", .unsigned(1000)), ("1a000f4240", .unsigned(1_000_000)),
      ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3863", .negative(99)),
      ("3903e7", .negative(999)), ("3bffffffffffffffff", .negative(.max)),
      ("f4", .flag(false)), ("f5", .flag(true)), ("f6", .null), ("40", .bytes([])),
      ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6449455446", .text("IETF")),
      ("62c3bc", .text("ü")), ("64f0908591", .text("\u{10151}")), ("80", .list([])),
      ("83010203", .list([.unsigned(1), .unsigned(2), .unsigned(3)])),
      (
        "8301820203820405",
        .list([
          .unsigned(1), .list([.unsigned(2), .unsigned(3)]),
          .list([.unsigned(4), .unsigned(5)]),
        ])
      ),
      ("a0", .map([])),
      (
        "a201020304",
        .map([
          .init(key: .unsigned(1), value: .unsigned(2)),
          .init(key: .unsigned(3), value: .unsigned(4)),
        ])
      ),
      (
        "a26161016162820203",
        .map([
          .init(key: .text("a"), value: .unsigned(1)),
          .init(key: .text("b"), value: .list([.unsigned(2), .unsigned(3)])),
        ])
      ),
      // An integer that is longer than needed.
      ("1800", .unsigned(0)), ("590001ff", .bytes([255])),
    ] as [(String, CBORValue)] {
      #expect(try CBORReader.read(bytes(hex)[...]) == value, "\(hex)")
    }
  }

  @Test("Everything else is refused, for its reason")
  func refusals() {
    for (hex, error) in [
      ("", .malformed), ("18", .malformed), ("19ff", .malformed), ("1c", .malformed),
      ("1e", .malformed), ("41", .malformed), ("5bffffffffffffffff", .malformed),
      ("9bffffffffffffffff", .malformed), ("bbffffffffffffffff", .malformed),
      ("9a7fffffff00", .malformed), ("8201", .malformed), ("a101", .malformed),
      ("61ff", .malformed), ("62c328", .malformed), ("63eda080", .malformed), ("fc", .malformed),
      ("1f", .indefinite), ("5f41ff41ffff", .indefinite), ("7fff", .indefinite),
      ("9f01ff", .indefinite), ("bf0102ff", .indefinite), ("ff", .indefinite),
      ("c001", .unsupported), ("c11a514b67b0", .unsupported), ("d9d9f700", .unsupported),
      ("f7", .unsupported), ("f0", .unsupported), ("f8ff", .unsupported),
      ("f90000", .unsupported), ("fa47c35000", .unsupported),
      ("fb3ff199999999999a", .unsupported),
      ("a2010001ff", .key), ("a2010118010100", .key), ("a2616100616100", .key),
      ("a1400100", .key), ("a1f500", .key), ("a1800000", .key),
      ("0000", .trailing), ("a000", .trailing), ("8000", .trailing),
    ] as [(String, CBORError)] {
      #expect(failure(hex) == error, "\(hex)")
    }
  }

  @Test("Depth, length and numbers of entries are limited")
  func limits() {
    #expect(failure(String(repeating: "81", count: 8) + "00") == nil)
    #expect(failure(String(repeating: "81", count: 9) + "00") == .tooMuch)
    #expect(failure(String(repeating: "a100", count: 9) + "00") == .tooMuch)
    #expect(failure(String(repeating: "81", count: 60_000)) == .tooMuch)
    let entries = { (count: Int) in
      (0..<count).map { (CBORWriter.number($0), CBORWriter.number(0)) }
    }
    let full = CBORWriter.map(entries(64))
    #expect((try? CBORReader.read(full[...])) != nil)
    #expect(throws: CBORError.tooMuch) { try CBORReader.read(CBORWriter.map(entries(65))[...]) }
    let long = CBORWriter.bytes([UInt8](repeating: 0, count: 65_533))
    #expect((try? CBORReader.read(long[...])) != nil)
    #expect(throws: CBORError.tooMuch) { try CBORReader.read((long + [0])[...]) }
  }

  @Test("The first value is read where something follows, at any place of a slice")
  func first() throws {
    let whole = bytes("ff6161ff00")
    let (value, rest) = try CBORReader.readFirst(whole[1...])
    #expect(value == .text("a") && Array(rest) == [0xFF, 0x00] && rest.startIndex == 3)
  }

  @Test("Every beginning of a good value is refused")
  func cut() {
    let whole = bytes("a36161646e6f6e656173a16178436162636164820120")
    #expect((try? CBORReader.read(whole[...])) != nil)
    for count in 0..<whole.count {
      #expect((try? CBORReader.read(whole[..<count])) == nil, "\(count)")
    }
  }

  @Test("Integers beyond 64 bits with a sign are no integer")
  func integers() {
    #expect(CBORValue.unsigned(1 << 63).integer == nil)
    #expect(CBORValue.negative(1 << 63).integer == nil)
    #expect(CBORValue.negative(.max >> 1).integer == .min)
    #expect(CBORValue.text("1").integer == nil)
    #expect(CBORValue.null["a"] == nil && CBORValue.null[1] == nil)
  }
}
