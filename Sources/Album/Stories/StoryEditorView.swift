import PhotoMetadata
import Templates

/// The field for a story and what helps to fill it: the same on `/stories` and in the album.
struct StoryEditorView: View {
  /// What stands in the field.
  let story: String
  let error: String?
  /// Texts that the photo holds, to begin with.
  let offers: [StoryOffer]
  /// Two programs left two stories: a person must choose.
  let wasEditedElsewhere: Bool

  init(story: String, error: String? = nil, texts: FoundTexts = FoundTexts()) {
    self.story = story
    self.error = error
    let isChoice = texts.other != nil
    wasEditedElsewhere = isChoice
    let found = isChoice ? [texts.story, texts.other] : [texts.caption]
    // Another program may have written more than a story holds.
    offers = found.compactMap { $0.flatMap { PhotoStory(draft: $0) } }
      .map { StoryOffer(text: $0.text) }
      .filter { isChoice || $0.text != story }
  }

  static let fields: [String: Field<StoryEditorView>] = [
    "story": .text { $0.story },
    "story_error": .optionalText { $0.error },
    "count": .integer { PhotoStory.count($0.story) },
    "most": .integer { _ in PhotoStory.maximumCharacters },
    "edited_elsewhere": .flag { $0.wasEditedElsewhere },
    "offers": .list { $0.offers },
  ]
}

/// What stands in a photo: its story, another one where it was edited elsewhere, and a text without
/// our mark.
struct FoundTexts {
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

/// A text that can be taken over with one tap.
struct StoryOffer: View {
  let text: String

  static let fields: [String: Field<StoryOffer>] = ["text": .text { $0.text }]
}
