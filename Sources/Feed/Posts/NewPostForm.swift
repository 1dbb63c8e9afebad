import Core
import Foundation
import Images
import Secrets
import Web

/// The submitted form of a new post, with the results so far.
struct NewPostForm {
  let nonce: String
  let content: String
  let visibility: Visibility
  /// Uploaded files in order, each with its description.
  let files: [(file: UploadedFile, description: String)]
  let isTooMuchTogether: Bool
  /// Drafts kept from an earlier submission and not deselected, then those made now.
  private(set) var pictures: [(draft: Draft, description: String)]
  /// All drafts named by the form, deselected ones included.
  private(set) var allDrafts: [ID<PostImage>]
  let keptCount: Int
  /// The form's drafts and descriptions, whether the drafts still exist or not.
  private let named: [(id: ID<PostImage>, description: String)]
  /// Rejected pictures.
  var failed: [FailedFile] = []
  var errors: [String: FieldError] = [:]
  /// Seconds until the user may post again after reaching the limit, in s.
  var retryAfter: Int?
  /// Whether the pictures could not be moved to the post now.
  var isBusy = false

  init(_ form: Form, viewer: Viewer, drafts: DraftStore) throws {
    nonce = FieldLimits.nonce.beginning(of: form["nonce"])
    content = form["content"].asParagraphs
    visibility = Visibility(rawValue: form["visibility"]) ?? .everyone
    let named = form.all("kept").compactMap { ID<PostImage>($0) }.prefix(PostRules.maximumImages)
    let dropped = Set(form.all("drop"))
    func description(_ number: Int) -> String {
      PostRules.description(form["description_\(number)"])
    }
    let numbered = Dictionary(
      named.enumerated().map { ($0.element, description($0.offset + 1)) },
      uniquingKeysWith: { first, _ in first })
    let found = try drafts.find(Array(named), of: viewer)
    pictures = found.filter { !dropped.contains($0.id.description) }
      .map { ($0, numbered[$0.id] ?? "") }
    allDrafts = found.map(\.id)
    keptCount = pictures.count
    self.named = named.filter { !dropped.contains($0.description) }
      .map { ($0, numbered[$0] ?? "") }
    files = form.files.filter { $0.fieldName == "images" }.enumerated()
      .map { ($0.element, description(named.count + $0.offset + 1)) }
    isTooMuchTogether = form.filesAreTooLargeTogether
  }

  /// Text and files of an API request.
  init(content: String, visibility: Visibility, nonce: String, filesOf form: Form, _ names: Names) {
    self.nonce = nonce
    self.content = content.asParagraphs
    self.visibility = visibility
    pictures = []
    allDrafts = []
    keptCount = 0
    named = []
    let descriptions = names.descriptions.lazy.map(form.all).first { !$0.isEmpty } ?? []
    files = form.files.filter { names.files.contains($0.fieldName) }.enumerated().map {
      let entered = descriptions.indices.contains($0.offset) ? descriptions[$0.offset] : ""
      return ($0.element, PostRules.description(entered))
    }
    isTooMuchTogether = form.filesAreTooLargeTogether
  }

  /// Accepted names of the form parts with pictures and with their descriptions.
  struct Names {
    let files: Set<String>
    let descriptions: [String]
  }

  /// Text and drafts from other sources than the form: demo data and posts of photos.
  init(
    content: String, visibility: Visibility, pictures: [(draft: Draft, description: String)],
    nonce: String = ""
  ) {
    self.nonce = nonce
    self.content = content
    self.visibility = visibility
    self.pictures = pictures
    allDrafts = pictures.map(\.draft.id)
    keptCount = pictures.count
    named = []
    files = []
    isTooMuchTogether = false
  }

  /// Whether drafts of the form are gone: it was sent after their lifetime, or they are of another
  /// user.
  var lacksDrafts: Bool { keptCount < Set(named.map(\.id)).count }

  /// Hash that distinguishes submissions: text, choices and the bytes of every file.
  func hash() throws -> [UInt8] {
    var parts = [content, visibility.rawValue]
    parts += named.flatMap { [$0.id.description, $0.description] }
    for (file, description) in files {
      parts.append(description)
      parts.append(file.tooLarge ? "too large" : Hex.text(try Digests.sha256(file: file.path)))
    }
    return Digests.sha256(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
  }

  mutating func add(_ draft: Draft, description: String) {
    pictures.append((draft, description))
    allDrafts.append(draft.id)
  }

  mutating func checkWords() {
    // A rejected picture has an error of its own; the others may still be enough.
    let images = pictures.count + failed.count
    errors["content"] =
      PostRules.problem(content: content, images: min(images, PostRules.maximumImages))?.error
  }

  func view(_ context: Context) -> ComposerView {
    ComposerView(
      nonce: Base64URL.text(RandomBytes.make(16)), content: content, visibility: visibility,
      kept: pictures.enumerated().map {
        UploadedPictureView(
          draft: $0.element.draft, number: $0.offset + 1, description: $0.element.description)
      },
      failed: failed.views(context), errors: errors.texts(context))
  }
}
