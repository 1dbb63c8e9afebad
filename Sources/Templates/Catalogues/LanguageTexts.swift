import Core
import Foundation
import Synchronization

/// The texts of one language. A file that was checked before is parsed at the first use of the
/// language: a process starts faster, and keeps only the languages that are used.
final class LanguageTexts: Sendable {
  private let language: Language
  private let source: Data
  private let parsed = AtomicLazyReference<Parsed>()

  private final class Parsed: Sendable {
    let messages: [String: Message]

    init(_ messages: [String: Message]) {
      self.messages = messages
    }
  }

  /// The texts in a file that was checked before.
  init(_ language: Language, checked source: Data) {
    self.language = language
    self.source = source
  }

  /// Texts that were parsed already.
  init(_ language: Language, _ messages: [String: Message]) {
    self.language = language
    source = Data()
    _ = parsed.storeIfNil(Parsed(messages))
  }

  /// The texts by key.
  var messages: [String: Message] {
    if let known = parsed.load() { return known.messages }
    var reader = CatalogueReader(language: language)
    reader.read(source)
    // If several threads come here at once, all keep what the first has stored.
    return parsed.storeIfNil(Parsed(reader.messages)).messages
  }
}
