import Core
import Foundation

/// The words that a person attaches to a photo (docs/developer/photo-stories.md#limits).
///
/// Normalised to NFC, lines end with a newline alone, outer white space is gone; so two stories
/// that look the same in a form are the same bytes in a file.
public struct PhotoStory: Hashable, Sendable {
  /// The name under which stories stand in files.
  public static let key = "ai.album.story"
  /// User-perceived characters, as Swift's `Character` counts them.
  public static let maximumCharacters = 300
  /// Bytes of UTF-8: a character can be made of any number of marks.
  public static let maximumBytes = 8_000

  public let text: String

  /// Takes what was typed. Throws the first rule that it breaks.
  public init(_ typed: String) throws(PhotoStoryError) {
    guard typed.utf8.count <= 8 * Self.maximumBytes else { throw .tooManyBytes }
    let text = Self.normalised(typed)
    guard !text.isEmpty else { throw .empty }
    guard text.unicodeScalars.allSatisfy(Self.allows) else { throw .controlCharacter }
    let count = text.count
    guard count <= Self.maximumCharacters else { throw .tooManyCharacters(count) }
    guard text.utf8.count <= Self.maximumBytes else { throw .tooManyBytes }
    self.text = text
  }

  /// As much of a text as makes a story, for a first draft; nil when nothing is left of it.
  public init?(draft text: String) {
    let allowed = String(String.UnicodeScalarView(text.unicodeScalars.filter(Self.allows)))
    let cut = Self.normalised(allowed).prefix(Self.maximumCharacters)
    guard let story = try? PhotoStory(LegacyTextDecoding.prefix(of: cut, bytes: Self.maximumBytes))
    else {
      return nil
    }
    self = story
  }

  /// How many characters of `maximumCharacters` a typed text takes.
  public static func count(_ typed: String) -> Int { normalised(typed).count }

  static func normalised(_ typed: String) -> String {
    // "\r\n" is one character of its own, so it is told by scalars.
    var scalars = String.UnicodeScalarView()
    var afterReturn = false
    for scalar in typed.composed.unicodeScalars {
      if scalar == "\r" {
        scalars.append("\n")
      } else if !(afterReturn && scalar == "\n") {
        scalars.append(scalar)
      }
      afterReturn = scalar == "\r"
    }
    let text = String(scalars)
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(text[first...last])
  }

  /// No control characters but newline and tab; nor the two that no XML may hold.
  static func allows(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\n" || scalar == "\t" { return true }
    return scalar.properties.generalCategory != .control && scalar.value != 0xFFFE
      && scalar.value != 0xFFFF
  }
}

/// Why a text is no story.
public enum PhotoStoryError: Error, Sendable, Equatable {
  case empty
  /// So many characters, where `PhotoStory.maximumCharacters` are allowed.
  case tooManyCharacters(Int)
  /// More than `PhotoStory.maximumBytes`.
  case tooManyBytes
  /// A control character other than newline and tab.
  case controlCharacter
}
