/// A text with its parameters: `{days} days in a row`.
struct Pattern: Sendable, Equatable {
  enum Piece: Sendable, Equatable {
    case literal(String)
    case parameter(String)
  }

  let pieces: [Piece]

  /// Nil when a brace belongs to no parameter.
  init?(_ text: String) {
    // Most texts have no parameters, and there are thousands of texts.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
      pieces = text.isEmpty ? [] : [.literal(text)]
      return
    }
    var pieces: [Piece] = []
    var rest = text[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else { return nil }
      let name = rest[rest.index(after: brace)..<end]
      guard !name.isEmpty, name.allSatisfy(Self.isPartOfName) else { return nil }
      if brace > rest.startIndex {
        pieces.append(.literal(String(rest[..<brace])))
      }
      pieces.append(.parameter(String(name)))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty {
      pieces.append(.literal(String(rest)))
    }
    self.pieces = pieces
  }

  var parameters: Set<String> {
    Set(
      pieces.compactMap { piece in
        if case .parameter(let name) = piece { name } else { nil }
      })
  }

  private static func isPartOfName(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "_-.".contains(character))
  }
}

/// One entry of a catalogue.
enum Message: Sendable, Equatable {
  case plain(Pattern)
  /// `by` names the parameter that chooses the form; without `one` there is only one form.
  case plural(by: String, one: Pattern?, other: Pattern)

  var parameters: Set<String> {
    switch self {
    case .plain(let pattern): pattern.parameters
    case .plural(let by, let one, let other):
      other.parameters.union(one?.parameters ?? []).union([by])
    }
  }

  /// Whether English uses the singular form (Unicode CLDR, plural rules, cardinal).
  static func isOne(_ count: Int) -> Bool {
    count.magnitude == 1
  }
}
