import Testing

@testable import App

@Suite("The check list of a setup")
struct SetupChecksTests {
  /// The state of each line, by subject, on a server with these records and addresses.
  private func states(
    texts: [String: [String]] = [:], addresses: [String] = ["192.0.2.1"], takesMail: Bool = true,
    isClockSynchronized: Bool = true
  ) throws -> [String: SetupChecks.Line.State] {
    var checks = SetupChecks(
      try Configuration(
        environment: [
          "PAIRSPOT_ENV": "development", "PAIRSPOT_SHARE": TestInstance.checkout.path,
          "PAIRSPOT_DATA": "/nowhere", "PAIRSPOT_BASE_URL": "http://pairspot.invalid",
          "FROM_EMAIL": "hello@mail.pairspot.invalid",
        ], now: TestInstance.start, cores: 1))
    checks.records = DomainRecords { domain, type in
      type == DomainRecords.mailServer
        ? DomainRecordsTests.message(type: 15, takesMail ? [[0, 10, 1, 97, 0]] : [])
        : DomainRecordsTests.message(
          type: 16, (texts[domain] ?? []).map { DomainRecordsTests.text($0) })
    }
    checks.resolve = { _ in addresses }
    checks.ownAddresses = { ["127.0.0.1", "192.0.2.1"] }
    checks.isClockSynchronized = { isClockSynchronized }
    return Dictionary(checks.lines().map { ($0.subject, $0.state) }) { first, _ in first }
  }

  @Test("A sender's domain with all records is well")
  func sender() throws {
    let states = try states(texts: [
      "mail.pairspot.invalid": ["v=spf1 mx -all", "other"],
      "_dmarc.pairspot.invalid": ["v=DMARC1; p=reject"],
    ])
    #expect(states["MX"] == .good)
    #expect(states["SPF"] == .good)
    #expect(states["DMARC"] == .good)
    #expect(states["DKIM"] == .unsure)
  }

  @Test("Missing and doubled records of the sender are named")
  func senderWithout() throws {
    let none = try states(takesMail: false)
    #expect(none["MX"] == .missing)
    #expect(none["SPF"] == .missing)
    #expect(none["DMARC"] == .missing)
    let two = try states(texts: ["mail.pairspot.invalid": ["v=spf1 -all", "v=spf1 mx -all"]])
    #expect(two["SPF"] == .missing)
  }

  @Test(
    "A domain leads here, elsewhere or nowhere",
    arguments: [
      (["192.0.2.1", "192.0.2.9"], .good), (["192.0.2.9"], .unsure), ([], .missing),
    ] as [([String], SetupChecks.Line.State)])
  func domain(addresses: [String], state: SetupChecks.Line.State) throws {
    #expect(try states(addresses: addresses)["DNS"] == state)
  }

  @Test("A clock that is not synchronized and a service that does not run are missing")
  func clock() throws {
    let states = try states(isClockSynchronized: false)
    #expect(states["clock"] == .missing)
    #expect(states["https"] == .missing)
    #expect(states["service"] == .missing)
  }
}
