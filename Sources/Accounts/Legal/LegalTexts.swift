import Core
import Foundation

/// The terms and the privacy notice: the operator's own texts or the shipped ones. The first line
/// is the version, a date; "# " begins a heading; an empty line ends a paragraph.
public struct LegalTexts: Sendable {
  struct Paragraph: Sendable {
    let heading: String?
    let text: String
  }

  struct Text: Sendable {
    let version: String
    let paragraphs: [Paragraph]
  }

  private let terms: [Text]
  private let privacy: [Text]

  /// Reads the shipped texts below `templates/legal`, or the operator's file, which serves all
  /// languages. Throws if a file cannot be read or has no version.
  public init(templates: String, termsFile: String?, privacyFile: String?) throws {
    func texts(_ name: String, _ file: String?) throws -> [Text] {
      try Language.allCases.map { language in
        try Self.read(file ?? "\(templates)/legal/\(name).\(language.rawValue).txt")
      }
    }
    terms = try texts("terms", termsFile)
    privacy = try texts("privacy", privacyFile)
  }

  /// The version of the terms that a new user accepts.
  var termsVersion: String { terms[Language.english.index].version }

  func terms(_ language: Language) -> Text { terms[language.index] }

  func privacy(_ language: Language) -> Text { privacy[language.index] }

  private struct NoVersion: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path): the first line must be the version, a date" }
  }

  private static func read(_ path: String) throws -> Text {
    let content = try String(contentsOfFile: path, encoding: .utf8)
    let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
    guard let version = lines.first?.trimmingCharacters(in: .whitespaces),
      LocalDay(version) != nil
    else { throw NoVersion(path: path) }
    return Text(version: version, paragraphs: paragraphs(lines.dropFirst()))
  }

  private static func paragraphs(_ lines: ArraySlice<Substring>) -> [Paragraph] {
    lines.split { $0.allSatisfy(\.isWhitespace) }.flatMap { block -> [Paragraph] in
      let heading = block.first.flatMap { $0.hasPrefix("# ") ? String($0.dropFirst(2)) : nil }
      let rest = heading == nil ? block : block.dropFirst()
      return [Paragraph(heading: heading, text: rest.joined(separator: " "))]
    }
  }
}
