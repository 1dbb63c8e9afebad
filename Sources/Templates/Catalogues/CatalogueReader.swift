import Core
import Foundation

/// Reads one language's file and collects its errors.
struct CatalogueReader {
  private static let forms: Set<String> = ["zero", "one", "two", "few", "many", "other"]

  let language: Language
  private(set) var messages: [String: Message] = [:]
  private(set) var problems: [String] = []

  init(language: Language) {
    self.language = language
  }

  mutating func read(_ source: Data) {
    do {
      guard let object = try JSONSerialization.jsonObject(with: source) as? [String: Any] else {
        return note("is not one object of texts")
      }
      for key in DuplicateKeys.find(in: Array(source)) { note("“\(key)” stands twice") }
      readGroup(object, prefix: "")
    } catch {
      note("is not JSON: \(error)")
    }
  }

  private mutating func note(_ problem: String) {
    problems.append("\(language.rawValue).json: \(problem)")
  }

  private mutating func readGroup(_ group: [String: Any], prefix: String) {
    for (name, value) in group.sorted(by: { $0.key < $1.key }) {
      let key = prefix + name
      if let text = value as? String {
        if let pattern = pattern(text, key) { add(.plain(pattern), key) }
      } else if let object = value as? [String: Any] {
        if !object.isEmpty, object.keys.allSatisfy({ Self.forms.contains($0) || $0 == "by" }) {
          readPlural(object, key)
        } else {
          readGroup(object, prefix: key + ".")
        }
      } else {
        note("“\(key)” is neither a text nor an object")
      }
    }
  }

  private mutating func readPlural(_ object: [String: Any], _ key: String) {
    let wanted: Set<String> = language == .english ? ["one", "other"] : ["other"]
    let given = Set(object.keys).subtracting(["by"])
    guard given == wanted else {
      return note(
        "“\(key)” has the plural forms \(listed(given)); this language has \(listed(wanted))")
    }
    guard object.values.allSatisfy({ $0 is String }), let other = object["other"] as? String else {
      return note("“\(key)” has a plural form that is not a text")
    }
    guard let otherPattern = pattern(other, key) else { return }
    var onePattern: Pattern?
    if let one = object["one"] as? String {
      onePattern = pattern(one, key)
      if onePattern == nil { return }
    }
    let by = object["by"] as? String ?? "count"
    add(.plural(by: by, one: onePattern, other: otherPattern), key)
  }

  private mutating func pattern(_ text: String, _ key: String) -> Pattern? {
    if text.isEmpty {
      note("“\(key)” is empty")
      return nil
    }
    let pattern = Pattern(text)
    if pattern == nil {
      note("“\(key)” has a brace that belongs to no {parameter}")
    }
    return pattern
  }

  private mutating func add(_ message: Message, _ key: String) {
    if messages.updateValue(message, forKey: key) != nil {
      note("“\(key)” stands twice")
    }
  }
}

/// Compares the languages' catalogues with each other.
enum CatalogueComparison {
  static func problems(in catalogues: [[String: Message]]) -> [String] {
    let keys = Set(catalogues.flatMap(\.keys)).sorted()
    return keys.flatMap { key in
      var problems: [String] = []
      var first: Message?
      for (language, catalogue) in zip(Language.allCases, catalogues) {
        guard let message = catalogue[key] else {
          problems.append("\(language.rawValue).json: “\(key)” is missing")
          continue
        }
        if let first {
          problems += differences(first, message).map {
            "\(language.rawValue).json: “\(key)” \($0)"
          }
        } else {
          first = message
        }
      }
      return problems
    }
  }

  private static func differences(_ first: Message, _ other: Message) -> [String] {
    switch (first, other) {
    case (.plain, .plural), (.plural, .plain):
      return ["is a plural in one language and a plain text in another"]
    case (.plural(let one, _, _), .plural(let another, _, _)) where one != another:
      return ["is chosen by “\(another)”, elsewhere by “\(one)”"]
    default:
      if first.parameters == other.parameters { return [] }
      return [
        "has the parameters \(listed(other.parameters)), elsewhere \(listed(first.parameters))"
      ]
    }
  }
}
