import Core
import Foundation

/// The text that a user attaches to a photo (docs/developer/photo-stories.md#limits).
///
/// Normalised to NFC, with newlines as line ends and without outer white space, so two stories that
/// look the same in a form are the same bytes in a file.
public struct PhotoStory: Hashable, Sendable {
  /// The key of stories in files.
  public static let key = "ai.album.story"
  /// User-perceived characters, as Swift's `Character` counts them.
  public static let maximumCharacters = 300
  /// Bytes of UTF-8: a character can have any number of combining marks.
  public static let maximumBytes = 8_000

  public let text: String

  /// Normalises typed text. Throws the first rule that it violates.
  public init(_ entered: String) throws(PhotoStoryError) {
    guard entered.utf8.count <= 8 * Self.maximumBytes else { throw .tooManyBytes }
    let text = Self.normalised(entered)
    guard !text.isEmpty else { throw .empty }
    guard text.unicodeScalars.allSatisfy(Self.allows) else { throw .controlCharacter }
    let count = text.count
    guard count <= Self.maximumCharacters else { throw .tooManyCharacters(count) }
    guard text.utf8.count <= Self.maximumBytes else { throw .tooManyBytes }
    self.text = text
  }

  /// The beginning of a text that fits into a story, as a first draft; nil if nothing is left.
  public init?(draft text: String) {
    let allowed = String(String.UnicodeScalarView(text.unicodeScalars.filter(Self.allows)))
    let cut = Self.normalised(allowed).prefix(Self.maximumCharacters)
    guard let story = try? PhotoStory(LegacyTextDecoding.prefix(of: cut, bytes: Self.maximumBytes))
    else {
      return nil
    }
    self = story
  }

  /// Number of characters that a typed text takes of `maximumCharacters`.
  public static func count(_ entered: String) -> Int { normalised(entered).count }

  static func normalised(_ entered: String) -> String {
    // "\r\n" is a single `Character`, so this compares scalars.
    var scalars = String.UnicodeScalarView()
    var afterReturn = false
    for scalar in entered.composed.unicodeScalars {
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

  /// Allows no control characters except newline and tab, nor the two characters forbidden in XML.
  static func allows(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\n" || scalar == "\t" { return true }
    return scalar.properties.generalCategory != .control && scalar.value != 0xFFFE
      && scalar.value != 0xFFFF
  }
}

/// Reason why a text is not a valid story.
public enum PhotoStoryError: Error, Sendable, Equatable {
  case empty
  /// This number of characters, above `PhotoStory.maximumCharacters`.
  case tooManyCharacters(Int)
  /// More than `PhotoStory.maximumBytes`.
  case tooManyBytes
  /// A control character other than newline and tab.
  case controlCharacter
}
