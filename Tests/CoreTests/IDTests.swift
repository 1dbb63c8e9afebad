import Core
import Testing

private enum Thing {}

@Suite struct IDTests {
  @Test("A version 7 identifier says its version, its variant and its time")
  func versionSeven() throws {
    let id = ID<Thing>(now: Instant(milliseconds: 0x0123_4567_89AB))
    #expect(id.description.hasPrefix("01234567-89ab-7"))
    #expect("89ab".contains(Array(id.description)[19]))
  }

  @Test("Identifiers sort by the time they were made")
  func order() {
    let early = ID<Thing>(now: Instant(milliseconds: 1000))
    let late = ID<Thing>(now: Instant(milliseconds: 1001))
    #expect(early < late)
  }

  @Test("Text and bytes come back the same")
  func roundTrip() throws {
    for _ in 0..<200 {
      let id = ID<Thing>.random()
      #expect(Array(id.description)[14] == "4")
      #expect(ID<Thing>(id.description) == id)
      #expect(ID<Thing>(id.description.uppercased()) == id)
      #expect(ID<Thing>(bytes: id.bytes) == id)
    }
  }

  @Test(
    "A malformed identifier is refused",
    arguments: [
      "", "0123", "01234567-89ab-7000-8000-00000000000", "01234567-89ab-7000-8000-0000000000000",
      "01234567x89ab-7000-8000-000000000000", "0123456g-89ab-7000-8000-000000000000",
      "01234567-89ab-7000-8000-000000000000 ",
    ])
  func refused(text: String) {
    #expect(ID<Thing>(text) == nil)
  }
}
