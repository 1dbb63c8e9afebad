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

  @Test("Lists of numbers are read at once, others one by one")
  func atOnce() throws {
    func all<T: JSONDecodable>(_ values: [JSON], as type: T.Type) -> [T]? { T.readAll(values) }
    #expect(all([1, nil, 2.5], as: Double?.self) == [1, nil, 2.5])
    #expect(all([1, 2.5], as: Double.self) == [1, 2.5])
    #expect(all([1, nil], as: Double.self) == nil)
    #expect(all([1, "2"], as: Double?.self) == nil)
    #expect(all([1, 2], as: Int?.self) == nil)
    #expect(all([1, nil], as: Double??.self) == nil)
    #expect(all(["a"], as: String.self) == nil)
  }

  @Test("Other lists are read as before")
  func others() throws {
    #expect(try read("[1, null, 3]", as: [Int?].self).value == [1, nil, 3])
    #expect(try read(#"["a", "b"]"#, as: [String].self).value == ["a", "b"])
    #expect(try read("[[1], [null, 2]]", as: [[Double?]].self).value == [[1], [nil, 2]])
  }
}
