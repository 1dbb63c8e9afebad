import Testing

@testable import Web

@Suite("JSON is read strictly")
struct JSONParserTests {
  private func parsed(_ text: String) -> JSON? { try? JSONParser.parse(Array(text.utf8)) }

  @Test(
    "Invalid JSON is refused",
    arguments: [
      "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
      "{a:1}", "{'a':1}", "{\"a\":1 \"b\":2}", "{1:2}", "nul", "nulll", "True", "tru", "t", "NaN",
      "Infinity", "-", "+1", "01", "-01", "1.", ".1", "1e", "1e+", "0x10", "1_000", "--1", "1 2",
      "{} {}", "[] x", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\uD800\"",
      "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\\uD800\\uD800\"", "\"\\uDC00\\uD800\"", "\"a\nb\"",
      "\"\t\"", "\"\u{0}\"", "\u{FEFF}{}", "//", "{} // a", "/**/{}", "1e999", "-1e999",
      "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "\u{A0}1", "[1\u{0}]", "\"\\",
    ])
  func refused(text: String) { #expect(parsed(text) == nil) }

  @Test("Bytes that are no UTF-8 are refused, in values and in names")
  func notUTF8() {
    let quote = UInt8(ascii: "\"")
    for bytes: [UInt8] in [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ] {
      #expect(throws: JSONError.malformed) { try JSONParser.parse([quote] + bytes + [quote]) }
      let named = Array("{\"".utf8) + bytes + Array("\":1}".utf8)
      #expect(throws: JSONError.malformed) { try JSONParser.parse(named) }
    }
  }

  @Test("Valid JSON is read unchanged")
  func accepted() {
    #expect(parsed(" [ ] ") == [])
    #expect(parsed("\t{\r\n}") == [:])
    #expect(
      parsed("{\"a\":[1,-2,0,-0,1.5,2E2,true,false,null,\"\"]}")
        == ["a": [1, -2, 0, 0, 1.5, .real(200), true, false, nil, ""]])
    #expect(parsed("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"") == "\"\\/\u{8}\u{C}\n\r\t")
    #expect(parsed("\"\\u6708\\uD83D\\uDC7B\\u0000\"") == "月👻\u{0}")
    #expect(parsed("\"月👻\"") == "月👻")
    #expect(parsed("9223372036854775807") == .integer(.max))
    #expect(parsed("-9223372036854775808") == .integer(.min))
    #expect(parsed("9223372036854775808") == .real(9_223_372_036_854_775_808))
    #expect(parsed("1e-999") == .real(0))
    #expect(parsed("{\"\":{\"\":1}}") == ["": ["": 1]])
  }

  @Test("Nothing nests deeper or has more values than the parser takes, and nothing crashes")
  func bounds() throws {
    let maximum = JSONParser.maximumDepth
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let inner = open == "[" ? "" : "1"
      func nested(_ depth: Int) -> String {
        String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
      }
      #expect(parsed(nested(maximum)) != nil)
      #expect(throws: JSONError.tooMuch) { try JSONParser.parse(Array(nested(maximum + 1).utf8)) }
      #expect(parsed(nested(100_000)) == nil)
      #expect(parsed(String(repeating: open, count: 500_000)) == nil)
    }
    let many = "[" + String(repeating: "0,", count: JSONParser.maximumValues) + "0]"
    #expect(throws: JSONError.tooMuch) { try JSONParser.parse(Array(many.utf8)) }
  }

  @Test("The parser ends on every truncated, changed or repeated text")
  func mutations() {
    let good = Array("{\"a\":[1.5e3,\"\\uD83D\\uDC7B\\n\",{\"b\":null}],\"c\":true}".utf8)
    for position in good.indices {
      #expect((try? JSONParser.parse(Array(good[..<position]))) == nil)
      for byte: UInt8 in [0, 0x22, 0x5C, 0x5B, 0x7B, 0x7D, 0xFF, 0x2C, 0x30] {
        var changed = good
        changed[position] = byte
        _ = try? JSONParser.parse(changed)
        changed.insert(byte, at: position)
        _ = try? JSONParser.parse(changed)
      }
    }
  }

  @Test("Numbers are the doubles that Swift itself reads, short ones too: 20,000 of them")
  func numbers() throws {
    for place in 0..<20_000 {
      let whole = String(Int64.random(in: 0..<1_000_000_000).description.prefix(place % 9 + 1))
      let rest = String((0...place % 14).map { _ in Character("\(Int.random(in: 0...9))") })
      let text = "\(Bool.random() ? "-" : "")\(whole == "0" ? "0" : whole).\(rest)"
      let read = try JSONParser.parse(Array(text.utf8))
      guard case .real(let number) = read else {
        Issue.record("\(text)")
        continue
      }
      #expect(number.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
    for (text, value) in [
      ("-0", JSON.integer(0)), ("123456789012345", .integer(123_456_789_012_345)),
      ("1234567890123456", .integer(1_234_567_890_123_456)), ("1e2", .real(100)),
    ] { #expect(try JSONParser.parse(Array(text.utf8)) == value, "\(text)") }
  }

  @Test("Written JSON is read back as the same")
  func roundTrip() throws {
    let value: JSON = [
      "text": "a\"\\\n\r\t\u{1}\u{7F}\u{2028}月👻",
      "numbers": [0, 9, 10, -1, .integer(.min), 0.1, 1e300],
      "flags": [true, false, nil], "empty": [[:], [], ""],
    ]
    #expect(try JSONParser.parse(value.bytes) == value)
    #expect(String(decoding: JSON.text("a\u{1}").bytes, as: UTF8.self) == "\"a\\u0001\"")
    #expect(JSON.real(.infinity).bytes == Array("null".utf8))
  }

  @Test("A name or a text that would take minutes to put in order is refused at once")
  func marks() {
    let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
    for body in ["{\"a\(marks)\":1}", "{\"a\":\"b\(marks)\"}"] {
      #expect(throws: JSONError.malformed) { try JSONParser.parse(Array(body.utf8)) }
    }
  }
}
