import Basics
import Foundation
import Secrets
import Web

/// What the form for a post brought, and what became of it so far.
struct SentPost {
  let nonce: String
  let content: String
  let visibility: Visibility
  /// Files in their order, each with its description.
  let files: [(file: UploadedFile, description: String)]
  let isTooMuchTogether: Bool
  /// Drafts that were kept before and not ticked off, then those made now.
  private(set) var pictures: [(draft: Draft, description: String)]
  /// Every draft that the form named, the ticked-off ones too.
  private(set) var allDrafts: [ID<PostImage>]
  let keptCount: Int
  /// What the form said of drafts, whether they are still there or not.
  private let named: [(id: ID<PostImage>, description: String)]
  var failed: [FailedPicture] = []
  var errors: [String: String] = [:]
  var isBusy = false

  init(_ form: Form, viewer: Viewer, drafts: DraftStore) throws {
    nonce = String(form["nonce"].prefix(64))
    content = form["content"].asParagraphs
    let chosen = Visibility(rawValue: form["visibility"])
    visibility = chosen.flatMap { Visibility.choices.contains($0) ? $0 : nil } ?? .everyone
    let named = form.all("kept").compactMap { ID<PostImage>($0) }.prefix(PostRules.imagesMost)
    let dropped = Set(form.all("drop"))
    func description(_ number: Int) -> String {
      String(form["description_\(number)"].asOneLine.prefix(PostRules.descriptionMost))
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

  /// Words and drafts that no composer brought: the demonstration world's, and of photos.
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

  /// What tells one sending from another: words, choices, and the bytes of every file.
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

  mutating func checkWords(_ context: Context) {
    // A picture that failed is told of by itself; the rest may still be enough.
    let images = pictures.count + failed.count
    switch PostRules.problem(content: content, images: min(images, PostRules.imagesMost)) {
    case .empty: errors["content"] = context.text("error.content_empty")
    case .tooLong(let by): errors["content"] = context.text("error.content_long", count: by)
    case .tooManyImages, nil: break
    }
  }

  func view() -> ComposerView {
    ComposerView(
      nonce: Base64URL.text(RandomBytes.make(16)), content: content, visibility: visibility,
      kept: pictures.enumerated().map {
        KeptPicture(
          draft: $0.element.draft, number: $0.offset + 1, description: $0.element.description)
      },
      failed: failed, errors: errors)
  }
}
