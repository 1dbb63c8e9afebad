import Core
import Foundation
import Testing

@testable import Templates

/// The official suite of Mustache (github.com/mustache/spec), all its files except ~lambdas, which
/// parse user input as a template.
@Suite("Mustache's official suite")
struct OfficialSuiteTests {
  static let counts = [
    "comments": 12, "delimiters": 14, "interpolation": 42, "inverted": 22, "partials": 12,
    "sections": 34, "~dynamic-names": 21, "~inheritance": 27,
  ]

  @Test("All cases of all files are there", arguments: counts.keys.sorted())
  func allCases(file: String) throws {
    #expect(try SuiteCase.cases(of: file).count == Self.counts[file])
  }

  @Test("Each case renders as expected", arguments: try SuiteCase.all(of: counts.keys.sorted()))
  func rendersAsExpected(suiteCase: SuiteCase) throws {
    #expect(try suiteCase.rendered() == suiteCase.expected)
  }
}

struct SuiteCase: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let data: JSONValue
  let template: String
  let partials: [String: String]?
  let expected: String
  var file: String?

  private enum CodingKeys: CodingKey {
    case name, data, template, partials, expected
  }

  private struct File: Decodable {
    let tests: [SuiteCase]
  }

  var testDescription: String {
    "\(file ?? ""): \(name)"
  }

  static func all(of files: [String]) throws -> [SuiteCase] {
    try files.flatMap { try cases(of: $0) }
  }

  static func cases(of file: String) throws -> [SuiteCase] {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("mustache-spec/\(file).json")
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).tests.map { found in
      var found = found
      found.file = file
      return found
    }
  }

  func rendered() throws -> String {
    var sources = (partials ?? [:]).mapValues { Array($0.utf8) }
    let choices = sources.keys.sorted()
    sources["the case itself"] = Array(template.utf8)
    var names = UsedNames()
    let library = try Library(sources: sources)
    for name in library.names {
      names.collect(try library.nodes(of: name) ?? [])
    }
    // Names that a case leaves undefined on purpose are declared empty here; in production they are
    // errors.
    for name in names.partials where sources[name] == nil {
      sources[name] = []
    }
    var data = data
    for name in names.fields where name != "." {
      data.declare(name.split(separator: ".").map(String.init)[...])
    }
    let view = DictionaryView(
      partials: choices,
      dynamicNames: Set(names.dynamic.compactMap { $0.split(separator: ".").last.map(String.init) })
    )
    let program = try Compiler.program(
      "the case itself", for: view.shape(of: [data]), library: Library(sources: sources),
      catalogues: .none, language: .english)
    var output = Output()
    withUnsafePointer(to: data) { program.render(UnsafeRawPointer($0), into: &output) }
    return String(decoding: output.bytes, as: UTF8.self)
  }
}

/// The names in a template.
private struct UsedNames {
  var fields: Set<String> = []
  var dynamic: Set<String> = []
  var partials: Set<String> = []

  mutating func collect(_ nodes: [Node]) {
    for node in nodes {
      switch node {
      case .text, .lineStart: break
      case .variable(let name, _): fields.insert(name.text)
      case .section(let name, _, let nodes):
        fields.insert(name.text)
        collect(nodes)
      case .partial(let inclusion): collect(inclusion)
      case .parent(let inclusion, let arguments):
        collect(inclusion)
        for block in arguments.values { collect(block.nodes) }
      case .block(let block): collect(block.nodes)
      }
    }
  }

  private mutating func collect(_ inclusion: Inclusion) {
    if inclusion.isDynamic {
      dynamic.insert(inclusion.name.text)
      fields.insert(inclusion.name.text)
    } else {
      partials.insert(inclusion.name.text)
    }
  }
}

extension Catalogues {
  /// Catalogues without texts.
  static var none: Catalogues {
    get throws { try Catalogues(texts: [:]) }
  }

  /// Catalogues from JSON; languages that are not given have no texts.
  init(texts: [Language: String]) throws {
    var sources: [Language: Data] = [:]
    for language in Language.allCases {
      sources[language] = Data((texts[language] ?? "{}").utf8)
    }
    try self.init(sources: sources)
  }
}
