import Core
import Foundation
import Testing

@testable import Web

private enum Thing {}

private struct Small: JSONResponse {
  let at: Instant

  static let jsonFields: [JSONField<Self>] = [JSONField("at") { $0.at }]
}

private struct Large: JSONResponse {
  let id: ID<Thing>
  let name: String?
  let day: LocalDay
  let parts: [Small]
  let first: Small?

  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("name", note: "What it is called.", example: "Lamp") { $0.name },
    JSONField("day") { $0.day },
    JSONField("parts") { $0.parts },
    JSONField("first") { $0.first },
  ]
}

private struct Order: JSONRequest {
  var count = 0
  var name = ""
  var note: OptionalField<String> = .absent
  var tongue: Language?
  var days: [LocalDay] = []
  var inner: Inner?

  struct Inner: JSONRequest {
    var on = false

    static let jsonName = "OrderInner"
    static let jsonFields: [InputField<Self>] = [.required("on") { $0.on = $1 }]
  }

  static let jsonFields: [InputField<Self>] = [
    .required("name") { $0.name = $1 },
    .optional("count", in: 1...100) { $0.count = $1 },
    .clearable("note") { $0.note = $1 },
    .optional("tongue") { $0.tongue = $1 },
    .optional("days") { $0.days = $1 },
    .optional("inner") { $0.inner = $1 },
  ]
}

@Suite("One table writes or reads an object, and describes it")
struct JSONTablesTests {
  private func read(_ text: String) throws -> Order { try Order.read(body: Array(text.utf8)) }

  private func errors(_ text: String) -> [String: String] {
    do {
      _ = try read(text)
      return [:]
    } catch {
      return (error as? Problem)?.fields.mapValues(\.key) ?? ["thrown": "\(error)"]
    }
  }

  @Test("A record is written completely, in order, including nulls")
  func writing() throws {
    let id = try #require(ID<Thing>("019c0a2e-7b40-7c11-9d2e-3f5a6b7c8d9e"))
    let small = Small(at: Instant(milliseconds: 1_772_409_600_123))
    let large = Large(
      id: id, name: nil, day: LocalDay(number: 0), parts: [small, small], first: nil)
    var output = JSONOutput()
    large.write(to: &output)
    let at = "{\"at\":\"2026-03-02T00:00:00.123Z\"}"
    #expect(
      String(decoding: output.bytes, as: UTF8.self)
        == "{\"id\":\"019c0a2e-7b40-7c11-9d2e-3f5a6b7c8d9e\",\"name\":null,\"day\":\"1970-01-01\","
        + "\"parts\":[\(at),\(at)],\"first\":null}")
  }

  @Test("Times have milliseconds, also before 1970 and at the ends of days")
  func times() {
    for (milliseconds, text) in [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (86_399_999, "1970-01-01T23:59:59.999Z"), (-86_400_000, "1969-12-31T00:00:00.000Z"),
      (951_782_400_007, "2000-02-29T00:00:00.007Z"),
    ] as [(Int64, String)] {
      let instant = Instant(milliseconds: milliseconds)
      #expect(instant.rfc3339Milliseconds == text)
      #expect(Instant(rfc3339: text) == instant)
    }
  }

  @Test("The schema has required and nullable fields, and names nested types")
  func schema() throws {
    let named = try #require(Large.jsonSchema.named.first)
    let schema = named.make()
    #expect(named.name == "Large" && schema.named.map(\.name) == ["Small", "Small"])
    #expect(schema.json["required"] == ["id", "name", "day", "parts", "first"])
    let properties = try #require(schema.json["properties"])
    #expect(
      properties["name"] == ["type": ["string", "null"], "description": "What it is called."])
    #expect(properties["id"] == ["type": "string", "format": "uuid"])
    #expect(
      properties["first"] == ["anyOf": [["$ref": "#/components/schemas/Small"], ["type": "null"]]])
    #expect(Large.jsonExample["name"] == "Lamp")
  }

  @Test("An input parses known fields and ignores the rest")
  func reading() throws {
    let order = try read(
      """
      {"name":"A","count":3.0,"note":null,"tongue":"zh-Hant","days":["2026-01-01"],
       "inner":{"on":true,"off":1},"unknown":{"deep":[1]}}
      """)
    #expect(order.name == "A" && order.count == 3 && order.tongue == .traditionalChinese)
    #expect(order.days.map(\.description) == ["2026-01-01"] && order.inner?.on == true)
    guard case .null = order.note else { throw Missed() }
    let least = try read("{\"name\":\"\",\"count\":null,\"inner\":null}")
    #expect(least.count == 0 && least.inner == nil)
    guard case .absent = least.note else { throw Missed() }
  }

  private struct Missed: Error {}

  @Test("All errors are reported at once, under their paths")
  func wrong() {
    #expect(errors("{}") == ["name": "api.field_missing"])
    #expect(errors("{\"name\":null}") == ["name": "api.field_text"])
    #expect(
      errors(
        """
        {"name":1,"count":101,"note":[],"tongue":"fr","days":["2026-02-30",7],"inner":{"on":"yes"}}
        """) == [
          "name": "api.field_text", "count": "api.field_range", "note": "api.field_text",
          "tongue": "api.field_choice", "days.0": "api.field_day", "days.1": "api.field_day",
          "inner.on": "api.field_flag",
        ])
    #expect(errors("{\"name\":\"a\\u0000b\"}") == ["name": "api.field_text"])
    for number in ["1.5", "1e30", "9223372036854775808", "\"3\"", "true", "-1", "0"] {
      #expect(errors("{\"name\":\"a\",\"count\":\(number)}").keys.contains("count"), "\(number)")
    }
  }

  @Test("A value that is no object is 422, invalid JSON is 400")
  func bodies() {
    for text in ["[]", "1", "\"a\"", "null", "true"] {
      #expect { try read(text) } throws: { ($0 as? Problem)?.status.code == 422 }
    }
    for text in ["", "{", "{\"name\":\"a\",\"name\":\"b\"}"] {
      #expect { try read(text) } throws: { ($0 as? Problem)?.code == "invalid_json" }
    }
  }

  @Test("A query is read by the same table")
  func queries() throws {
    let order = try Order.read(query: "name=a+b&count=7&tongue=en&other=1")
    #expect(order.name == "a b" && order.count == 7 && order.tongue == .english)
    for query in ["name=a&count=x", "name=a&count=", "count=1", "name=%zz", "name=a&tongue=de"] {
      #expect(throws: Problem.self, "\(query)") { try Order.read(query: query) }
    }
  }
}
