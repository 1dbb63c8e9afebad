import Testing

@testable import Web

@Suite("Lists of numbers, which come by the thousand")
struct JSONListTests {
  private func read<T: JSONDecodable>(
    _ text: String, as type: T.Type = T.self
  ) throws -> (value: T?, errors: [String: FieldError]) {
    var errors: [String: FieldError] = [:]
    let value = T.read(try JSONParser.parse(Array(text.utf8)), at: "power", &errors)
    return (value, errors)
  }

  @Test("Whole ones, broken ones and none at all are read in their order")
  func mixed() throws {
    #expect(
      try read("[148, null, 150.5, -0.25, 0]", as: [Double?].self).value
        == [148, nil, 150.5, -0.25, 0])
    #expect(try read("[148, 150.5]", as: [Double].self).value == [148, 150.5])
    #expect(try read("[]", as: [Double?].self).value == [])
    #expect(try read("[null]", as: [Double?].self).value == [nil])
  }

  @Test("An invalid number is named by its index")
  func wrong() throws {
    let optional = try read(#"[1, "2", null, true]"#, as: [Double?].self)
    #expect(optional.value == nil)
    #expect(optional.errors.keys.sorted() == ["power.1", "power.3"])
    #expect(optional.errors["power.1"] == FieldError("api.field_number"))
    let plain = try read("[1, null]", as: [Double].self)
    #expect(plain.value == nil && plain.errors.keys.sorted() == ["power.1"])
    #expect(try read("7", as: [Double?].self).errors["power"] == FieldError("api.field_list"))
  }

  /// A list long enough to be read as a flat array.
  private func long(_ elements: [String]) -> String {
    "[\((elements + [String](repeating: "7", count: 40)).joined(separator: " ,\n"))]"
  }

  @Test(
    "A number of a long list is what it is alone",
    arguments: [
      "0", "-0", "0.5", "-0.25", "148", "123456789012345", "12345678901234.5", "0.00000000000001",
      "150.50", "1e3", "-1.5E-2", "1234567890123456789", "0.1234567890123456789", "null",
    ])
  func same(number: String) throws {
    let alone = try JSONParser.parse(Array(number.utf8))
    let list = try JSONParser.parse(Array(long(["1", number]).utf8))
    let found = try #require(list.elements?[1])
    switch (alone, found) {
    case (.integer(let whole), .real(let real)): #expect(Double(whole) == real)
    default: #expect(found == alone)
    }
    let read = try read(long([number]), as: [Double?].self).value
    #expect(read?.count == 41 && read?.last == 7)
  }

  @Test(
    "A long list with anything malformed is refused",
    arguments: [
      "01", "-", "-01", "1.", ".5", "1..2", "+1", "1e", "nul", "nulls", "NaN", "Infinity", "1 2",
      "",
      "0x1", "1e999",
    ])
  func malformed(number: String) {
    #expect(throws: JSONError.malformed) { try JSONParser.parse(Array(long([number]).utf8)) }
    #expect(throws: JSONError.malformed) { try JSONParser.parse(Array(long(["1", number]).utf8)) }
  }

  @Test("A long list that does not end is refused")
  func endless() {
    let text = Array(long([]).utf8)
    for end in 1..<text.count {
      #expect(throws: JSONError.malformed) { try JSONParser.parse(Array(text[..<end])) }
    }
  }

  @Test("A long list may have other values, which are named by their index if they are wrong")
  func longMixed() throws {
    let text = long(["1", "\"a\"", "null", "[2]"])
    #expect(try JSONParser.parse(Array(text.utf8)).elements?[3] == [2])
    let read = try read(text, as: [Double?].self)
    #expect(read.value == nil && read.errors.keys.sorted() == ["power.1", "power.3"])
    let plain = try self.read(long(["null"]), as: [Double].self)
    #expect(plain.value == nil && plain.errors.keys.sorted() == ["power.0"])
  }

  @Test("Of a list with too many numbers no more are kept than show that there are too many")
  func tooMany() {
    let text = Array(String(repeating: "1,", count: JSONParser.maximumValues + 100).utf8)
    #expect(JSONNumbers.read(text, at: 0)?.values.count == JSONParser.maximumValues + 1)
    #expect(throws: JSONError.tooMuch) { try JSONParser.parse([UInt8(ascii: "[")] + text) }
  }

  @Test("Whole numbers are read from a long list as from a short one")
  func whole() throws {
    #expect(try read(long(["3", "null"]), as: [Int?].self).value?.prefix(3) == [3, nil, 7])
    #expect(try read(long(["3.5"]), as: [Int].self).errors.keys.sorted() == ["power.0"])
  }

  @Test("Other lists are read as before")
  func others() throws {
    #expect(try read("[1, null, 3]", as: [Int?].self).value == [1, nil, 3])
    #expect(try read(#"["a", "b"]"#, as: [String].self).value == ["a", "b"])
    #expect(try read("[[1], [null, 2]]", as: [[Double?]].self).value == [[1], [nil, 2]])
  }
}
