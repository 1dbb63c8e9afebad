/// Properties of a photo's file, read without decoding it.
public struct PhotoProperties: Sendable, Equatable {
  public let format: PhotoFormat
  /// Width in px, before applying the orientation.
  public let width: Int
  /// Height in px, before applying the orientation.
  public let height: Int
  /// 1 to 8 as in EXIF; by default 1, upright.
  public let orientation: Int
  /// Further content of the file, which `write` and `strip` drop.
  public let extras: Set<PhotoExtra>
}

/// Content of a photo's file whose loss its owner should know about.
public enum PhotoExtra: String, Sendable, CaseIterable, Codable {
  /// The gain map for high dynamic range displays.
  case gainMap
  /// A film of a second or two around the moment.
  case motionClip
  /// Further pictures (MPF).
  case furtherPictures
}

/// Texts and date of a photo's file.
public struct PhotoReading: Sendable, Equatable {
  public let properties: PhotoProperties
  /// The text under our mark; nil if there is none. Clean (NFC, no control characters), but
  /// possibly longer than a `PhotoStory`, if another program wrote it.
  public let story: String?
  /// A different text under our mark: the story was edited elsewhere, and the user must choose.
  public let otherStory: String?
  /// A caption without our mark that differs from the story: a first draft. Nil for a camera's
  /// default text.
  public let caption: String?
  /// Time of exposure; not kept by `write` and `strip`.
  public let taken: DateTaken?

  public var wasEditedElsewhere: Bool { otherStory != nil }
}

/// The time of a camera's clock, possibly without a time zone (Exif 3.0, 4.6.6.3).
public struct DateTaken: Sendable, Equatable {
  /// `2026-11-21T09:30:00`.
  public let localTime: String
  /// Minutes east of UTC.
  public let offset: Int?

  /// Parses `2026:11:21 09:30:00` and `+08:00`; nil for blank or invalid values.
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
