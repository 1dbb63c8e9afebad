import Testing

@testable import App

@Suite("Records of a domain")
struct DomainRecordsTests {
  /// A message of DNS with answers of one type for the name "a." (RFC 1035, section 4.1).
  static func message(type: UInt8, _ answers: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = [0, 1, 0x81, 0x80, 0, 1, 0, UInt8(answers.count), 0, 0, 0, 0]
    bytes += [1, 97, 0, 0, type, 0, 1]
    for data in answers {
      bytes += [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8)]
      bytes += [UInt8(data.count & 0xFF)] + data
    }
    return bytes
  }

  static func text(_ parts: String...) -> [UInt8] {
    parts.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
  }

  @Test("Texts are joined from their parts")
  func texts() throws {
    let message = Self.message(type: 16, [Self.text("v=spf1 ", "-all"), Self.text("other"), []])
    let records = DomainRecords { _, _ in message }
    #expect(try records.texts(of: "a") == ["v=spf1 -all", "other", ""])
  }

  @Test("Broken messages have no records, and never more than they hold")
  func broken() throws {
    let whole = Self.message(type: 16, [Self.text("v=spf1 -all")])
    for end in 0..<whole.count {
      let records = DomainRecords { _, _ in Array(whole.prefix(end)) }
      #expect(try records.texts(of: "a").isEmpty)
    }
    let long = Self.message(type: 16, [[200, 97]])
    #expect(try DomainRecords { _, _ in long }.texts(of: "a") == ["a"])
  }

  @Test(
    "A domain takes mail if it names a server other than the root",
    arguments: [
      ([[0, 10, 1, 97, 0]], true), ([[0, 0, 0]], false), ([], false),
    ] as [([[UInt8]], Bool)])
  func mailServers(answers: [[UInt8]], takesMail: Bool) throws {
    let message = Self.message(type: 15, answers)
    #expect(try DomainRecords { _, _ in message }.takesMail("a") == takesMail)
  }

  @Test("A domain without records has none, a silent name server is an error")
  func none() throws {
    #expect(try DomainRecords { _, _ in nil }.texts(of: "a").isEmpty)
    #expect(throws: DomainRecords.Unreachable.self) {
      try DomainRecords { _, _ in throw DomainRecords.Unreachable() }.texts(of: "a")
    }
  }
}
