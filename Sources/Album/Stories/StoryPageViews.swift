import Images
import PhotoMetadata
import Templates
import Web

/// The editor of a photo's story.
struct StoryPageView: FormContent {
  let photo: Photo
  let version: Int
  let editor: StoryEditorView
  /// Another request saved in the meantime; the photo is shown as saved.
  let isConflict: Bool
  /// Overwriting the file failed: saving a copy may work.
  let offersCopy: Bool
  let errors: [String: String]

  static let fields: [String: Field<StoryPageView>] = formFields(
    errors: ["story"],
    [
      "action": .text { AlbumLinks.story($0.photo.id) },
      "photo_link": .text { AlbumLinks.photo($0.photo.id) },
      "picture": .text { AlbumLinks.picture($0.photo, .medium) },
      "picture_webp": .optionalText {
        $0.photo.files.hasWebP ? AlbumLinks.picture($0.photo, .medium, asWebP: true) : nil
      },
      "width": .integer { $0.photo.width },
      "height": .integer { $0.photo.height },
      "version": .integer { $0.version },
      "has_story": .flag { $0.photo.story != nil },
      "editor": .child { $0.editor },
      "conflict": .flag { $0.isConflict },
      "theirs": .optionalText { $0.isConflict ? $0.photo.story : nil },
      "offers_copy": .flag { $0.offersCopy },
    ])
}

/// The confirmation before a photo's file is overwritten.
struct StoryQuestionView: View {
  let photo: Photo
  let story: String
  let version: Int
  let isDeletion: Bool

  static let fields: [String: Field<StoryQuestionView>] = [
    "action": .text { AlbumLinks.story($0.photo.id) },
    "thumb": .text { AlbumLinks.picture($0.photo, .thumb) },
    "story": .text { $0.story },
    "version": .integer { $0.version },
    "has_story": .flag { $0.photo.story != nil },
    "deletion": .flag { $0.isDeletion },
    "old_story": .optionalText { $0.photo.story },
  ]
}

/// The preview of the photo with its new story.
struct StoryPreviewView: View {
  let photo: Photo
  let story: String
  let version: Int

  static let fields: [String: Field<StoryPreviewView>] = [
    "action": .text { AlbumLinks.story($0.photo.id) },
    "picture": .text { AlbumLinks.picture($0.photo, .medium) },
    "width": .integer { $0.photo.width },
    "height": .integer { $0.photo.height },
    "story": .text { $0.story },
    "version": .integer { $0.version },
  ]
}
