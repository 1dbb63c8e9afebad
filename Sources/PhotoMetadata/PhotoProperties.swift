/// What a photo's file says of itself, read without decoding it.
public struct PhotoProperties: Sendable, Equatable {
  public let format: PhotoFormat
  /// Pixels, before the orientation turns the photo.
  public let width: Int
  /// Pixels, before the orientation turns the photo.
  public let height: Int
  /// 1 to 8 as in EXIF; 1, upright, where nothing is said.
  public let orientation: Int
  /// What the file holds besides its picture, and `write` and `strip` drop.
  public let extras: Set<PhotoExtra>
}

/// Things in a photo's file that its owner would miss and should be told of.
public enum PhotoExtra: String, Sendable, CaseIterable, Codable {
  /// What makes the photo shine on a screen of high dynamic range.
  case gainMap
  /// The second or two around the moment, as a film.
  case motionClip
  /// More pictures than one (MPF).
  case furtherPictures
}

/// What a photo's file tells.
public struct PhotoReading: Sendable, Equatable {
  public let facts: PhotoProperties
  /// What stands under our mark; nil for none. Clean (NFC, no control characters), but another
  /// program may have made it longer than a `PhotoStory` may be.
  public let story: String?
  /// Another text under our mark: the story was edited elsewhere, and a person must choose.
  public let otherStory: String?
  /// A text that the photo brought along without our mark, different from the story: a first
  /// draft. Nil where a camera wrote it by itself.
  public let caption: String?
  /// When the shutter opened; not kept by `write` and `strip`.
  public let taken: DateTaken?

  public var wasEditedElsewhere: Bool { otherStory != nil }
}

/// The time on a camera's clock, which need not know its zone (Exif 3.0, 4.6.6.3).
public struct DateTaken: Sendable, Equatable {
  /// `2026-11-21T09:30:00`.
  public let localTime: String
  /// Minutes east of Greenwich.
  public let offset: Int?

  /// From `2026:11:21 09:30:00` and `+08:00`; nil for blanks and nonsense.
  init?(exif: String, offset: String?) {
    let numbers = exif.split(whereSeparator: { $0 == ":" || $0 == " " }).map { Int($0) ?? -1 }
    guard exif.utf8.count == 19, numbers.count == 6, (1826...9999).contains(numbers[0]),
      (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), (0...23).contains(numbers[3]),
      (0...59).contains(numbers[4]), (0...60).contains(numbers[5])
    else { return nil }
    let bytes = Array(exif.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    localTime = "\(text(0..<4))-\(text(5..<7))-\(text(8..<10))T\(text(11..<19))"
    self.offset = offset.flatMap(Self.minutes)
  }

  private static func minutes(_ text: String) -> Int? {
    let parts = text.dropFirst().split(separator: ":").map { Int($0) ?? -1 }
    guard text.utf8.count == 6, let sign = text.first, sign == "+" || sign == "-",
      parts.count == 2, (0...14).contains(parts[0]), (0...59).contains(parts[1])
    else { return nil }
    return (sign == "-" ? -1 : 1) * (parts[0] * 60 + parts[1])
  }
}
