import PhotoMetadata
import Templates
import Web

/// The page of `/stories`, with or without a photo.
struct StoriesView: FormContent {
  let photo: TemporaryPhoto?
  let name: String
  let reading: PhotoReading?
  let editor: StoryEditorView
  let errors: [String: String]

  init(
    story: String, photo: TemporaryPhoto? = nil, name: String = "",
    reading: PhotoReading? = nil, errors: [String: String] = [:]
  ) {
    self.photo = photo
    self.name = name
    self.reading = reading
    self.errors = errors
    editor = StoryEditorView(
      story: story, error: errors["story"],
      texts: reading.map(DetectedTexts.init) ?? DetectedTexts())
  }

  /// Whether the photo is rotated by 90°.
  private var isTurned: Bool { (reading?.properties.orientation ?? 1) > 4 }

  private func has(_ extra: PhotoExtra) -> Bool {
    reading?.properties.extras.contains(extra) ?? false
  }

  static let fields: [String: Field<StoriesView>] = formFields(
    errors: ["file", "story"],
    [
      "action": .text { _ in StoriesLinks.page },
      // Words that were sent are kept, even if their photo was refused.
      "edits": .flag { $0.photo != nil || !$0.editor.story.isEmpty },
      "photo": .optionalText { $0.photo?.ticket },
      "picture": .optionalText { $0.photo.map { StoriesLinks.picture($0.ticket) } },
      "width": .integer {
        ($0.isTurned ? $0.reading?.properties.height : $0.reading?.properties.width) ?? 0
      },
      "height": .integer {
        ($0.isTurned ? $0.reading?.properties.width : $0.reading?.properties.height) ?? 0
      },
      "name": .text { $0.name },
      "most_bytes": .integer { _ in PhotoLimits.bytes },
      "has_story": .flag { $0.reading?.story != nil },
      "loses_light": .flag { $0.has(.gainMap) },
      "loses_clip": .flag { $0.has(.motionClip) },
      "loses_pictures": .flag { $0.has(.furtherPictures) },
      "editor": .child { $0.editor },
    ])
}
