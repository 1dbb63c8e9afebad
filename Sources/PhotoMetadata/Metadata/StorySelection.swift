/// Selects the story among a photo's texts (docs/developer/photo-stories.md#reading).
struct StorySelection {
  /// The texts under our mark, most trusted first.
  let marked: [String]
  let story: String?
  /// A different text at another marked place.
  let otherStory: String?
  let caption: String?

  init(_ parts: PhotoParts) {
    let marked = [
      parts.exif.flatMap { $0.isMarked ? $0.description : nil }, parts.exif?.commentStory,
      parts.iptc.flatMap { $0.isMarked ? $0.caption : nil },
      parts.packets.lazy.compactMap(\.story).first, parts.texts[PhotoStory.key],
    ].compactMap { $0.flatMap(LegacyTextDecoding.clean) }
    self.marked = marked
    // A truncated caption differs from its story only in length.
    let first = marked.first
    let story = marked.first { $0 != first && first == IPTCBlock.cut($0) } ?? first
    self.story = story
    otherStory = story.flatMap { story in
      marked.first { !Self.agree($0, story) }
    }
    caption = Self.captions(parts).lazy.compactMap { $0.flatMap(LegacyTextDecoding.clean) }.first {
      text in
      !CameraDefaultText.fit(text) && !marked.contains { Self.agree($0, text) }
    }
  }

  static func agree(_ one: String, _ other: String) -> Bool {
    one == other || IPTCBlock.cut(one) == other || one == IPTCBlock.cut(other)
  }

  private static func captions(_ parts: PhotoParts) -> [String?] {
    [
      parts.exif.flatMap { $0.isMarked ? nil : $0.oldDescription },
      parts.packets.lazy.compactMap(\.description).first,
      parts.iptc.flatMap { $0.isMarked ? nil : $0.caption },
      parts.texts["Description"], parts.exif?.oldComment, parts.exif?.windowsComment,
      parts.texts["Comment"],
    ]
  }
}

/// Default texts that cameras write into every photo.
enum CameraDefaultText {
  static func fit(_ text: String) -> Bool {
    let upper = text.uppercased()
    return upper.hasSuffix("DIGITAL CAMERA") || upper == "SONY DSC" || upper == "SAMSUNG"
      || upper.hasPrefix("DCIM\\") || upper.hasPrefix("DCIM/") || upper == "EXIF_JPEG_PICTURE"
      || upper == "SCREENSHOT" || upper.hasPrefix("CREATED WITH GIMP")
      || upper.hasPrefix("CREATOR: GD-JPEG") || upper == "ASCII" || upper == "DEFAULT"
  }
}
