import PhotoMetadata
import Templates

/// The field for a story with its suggestions, for `/stories` and the album.
struct StoryEditorView: View {
  /// The text in the field.
  let story: String
  let error: String?
  /// Suggestions from the texts in the photo.
  let offers: [StoryOffer]
  /// Two programs wrote two stories: the user must choose.
  let wasEditedElsewhere: Bool

  /// Whether the page is opened to write.
  private let isFocused: Bool

  init(
    story: String, error: String? = nil, texts: DetectedTexts = DetectedTexts(),
    isFocused: Bool = false
  ) {
    self.story = story
    self.error = error
    self.isFocused = isFocused
    let isChoice = texts.other != nil
    wasEditedElsewhere = isChoice
    let found = isChoice ? [texts.story, texts.other] : [texts.caption]
    // A text of another program may be longer than a story.
    offers = found.compactMap { $0.flatMap { PhotoStory(draft: $0) } }
      .map { StoryOffer(text: $0.text) }
      .filter { isChoice || $0.text != story }
  }

  static let fields: [String: Field<StoryEditorView>] = [
    "story": .text { $0.story },
    "story_error": .optionalText { $0.error },
    "focused": .flag { $0.isFocused || $0.error != nil },
    "count": .integer { PhotoStory.count($0.story) },
    "most": .integer { _ in PhotoStory.maximumCharacters },
    "edited_elsewhere": .flag { $0.wasEditedElsewhere },
    "offers": .list { $0.offers },
  ]
}

/// The texts in a photo: its story, another one if it was edited elsewhere, and a text without
/// PairSpot's mark.
struct DetectedTexts {
  var story: String?
  var other: String?
  var caption: String?

  init(story: String? = nil, other: String? = nil, caption: String? = nil) {
    self.story = story
    self.other = other
    self.caption = caption
  }

  init(_ reading: PhotoReading) {
    self.init(story: reading.story, other: reading.otherStory, caption: reading.caption)
  }
}

/// A text that can be inserted with one tap.
struct StoryOffer: View {
  let text: String

  static let fields: [String: Field<StoryOffer>] = ["text": .text { $0.text }]
}
