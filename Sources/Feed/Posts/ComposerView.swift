import Core
import Secrets
import Templates
import Web

/// The form for a new post, empty or with the submitted values.
struct ComposerView: FormContent {
  let nonce: String
  let content: String
  let visibility: Visibility
  let kept: [UploadedPictureView]
  let failed: [FailedPicture]
  let errors: [String: String]

  static func empty(for viewer: Viewer, _ context: Context) -> ComposerView {
    let last = context.cookies["visibility"].flatMap(Visibility.init(rawValue:))
    return ComposerView(
      nonce: Base64URL.text(RandomBytes.make(16)), content: "",
      visibility: last ?? .everyone,
      kept: [], failed: [], errors: [:])
  }

  static let fields: [String: Field<ComposerView>] = formFields(
    errors: ["content", "images"],
    [
      "nonce": .text { $0.nonce },
      "content": .text { $0.content },
      "public": .flag { $0.visibility == .everyone },
      "followers": .flag { $0.visibility == .followers },
      "couple": .flag { $0.visibility == .couple },
      "kept": .list { $0.kept },
      "failed": .list { $0.failed },
      "remaining": .integer { PostRules.maximumImages - $0.kept.count },
    ])
}

/// A valid picture, kept as a draft until the rest of the form is valid.
struct UploadedPictureView: View {
  let draft: Draft
  let number: Int
  let description: String

  static let fields: [String: Field<UploadedPictureView>] = [
    "id": .text { $0.draft.id.description },
    "thumb": .text { FeedLinks.draft($0.draft) },
    "alt": .text { $0.description },
    "description": .text { $0.description },
    "number": .integer { $0.number },
  ]
}

/// A rejected picture and the reason.
struct FailedPicture: View {
  let name: String
  let message: String

  static let fields: [String: Field<FailedPicture>] = [
    "name": .text { $0.name },
    "message": .text { $0.message },
  ]
}
