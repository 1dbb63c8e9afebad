import Core
import Secrets
import Web

/// The submitted form of an edited post. `image_id_N` names a picture of the post, or a draft from an
/// earlier submission; `order_N`, `description_N` and `remove_N` belong to it. `image_number` has one
/// number for each uploaded file; without it, files come last and have no description.
struct EditPostForm {
  let nonce: String
  let content: String
  /// Nil unless it was changed in the form.
  let visibility: Visibility?
  /// One entry for each picture of the post; those that the form doesn't name stay as they are.
  private(set) var pictures: [PictureEdit]
  /// Drafts that are to be added.
  private(set) var added: [AddedPicture]
  let files: [UploadedFile]
  /// Rejected pictures.
  private(set) var failed: [FailedFile] = []
  var errors: [String: FieldError] = [:]

  private let isTooMuchTogether: Bool
  /// Identifier, order, description and removal of each picture as sent.
  private let sent: [String]
  /// Order and description of each file.
  private let filePlaces: [(order: Int, description: String)]

  init(_ form: Form, of post: Post, viewer: Viewer, drafts: DraftStore) throws {
    nonce = FieldLimits.nonce.beginning(of: form["nonce"])
    content = form["content"].asParagraphs
    visibility =
      form["visibility"] == form["visibility_before"]
      ? nil : Visibility(rawValue: form["visibility"])
    let numbers = 1...(2 * PostRules.maximumImages)
    func order(_ number: Int, else other: Int) -> Int {
      Int(form["order_\(number)"], in: 0...numbers.upperBound) ?? other
    }
    func edit(_ id: ID<PostImage>, _ number: Int, place: Int) -> PictureEdit {
      PictureEdit(
        id: id, order: order(number, else: place),
        description: PostRules.description(form["description_\(number)"]),
        isRemoved: form.has("remove_\(number)"))
    }
    let named = Dictionary(
      numbers.compactMap { number in
        ID<PostImage>(form["image_id_\(number)"]).map { ($0, number) }
      }, uniquingKeysWith: { first, _ in first })
    sent = named.sorted { $0.value < $1.value }.flatMap { id, number in
      [
        id.description, form["order_\(number)"], form["description_\(number)"],
        form["remove_\(number)"],
      ]
    }
    pictures = post.pictures.enumerated().map { place, picture in
      named[picture.id].map { edit(picture.id, $0, place: place + 1) }
        ?? .unchanged(picture, at: place + 1)
    }
    let own = Set(post.pictures.map(\.id))
    let others = named.filter { !own.contains($0.key) }.sorted { $0.value < $1.value }
    added = try drafts.find(others.map(\.key), of: viewer)
      .map {
        AddedPicture(draft: $0, edit: edit($0.id, named[$0.id] ?? 0, place: named[$0.id] ?? 0))
      }
      .filter { !$0.edit.isRemoved }
    files = form.files.filter { $0.fieldName == "images" }
    let places = form.all("image_number").map { Int($0, in: numbers) }
    filePlaces = files.indices.map { index in
      guard places.indices.contains(index), let number = places[index] else {
        return (numbers.upperBound, "")
      }
      return (order(number, else: number), PostRules.description(form["description_\(number)"]))
    }
    isTooMuchTogether = form.filesAreTooLargeTogether
  }

  var change: PostService.Change {
    PostService.Change(
      content: content, visibility: visibility, pictures: pictures, added: added)
  }

  /// Hash that distinguishes submissions with the same nonce.
  func hash() throws -> [UInt8] {
    var parts = [content, visibility?.rawValue ?? ""] + sent
    for (file, place) in zip(files, filePlaces) {
      parts += [String(place.order), place.description]
      parts.append(file.tooLarge ? "too large" : Hex.text(try Digests.sha256(file: file.path)))
    }
    return Digests.sha256(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
  }

  /// Shows the pictures as they are by now, after they were changed elsewhere.
  mutating func reset(to post: Post) {
    pictures = post.pictures.enumerated().map { .unchanged($0.element, at: $0.offset + 1) }
    errors["images"] = FieldError("error.pictures_changed")
  }

  /// Processes the uploaded files into drafts, unless they are too many or too large together, and
  /// checks all fields.
  mutating func takeFiles(of viewer: Viewer, in services: FeedEnvironment, _ context: Context) {
    let left = pictures.filter { !$0.isRemoved }.count + added.count
    if isTooMuchTogether {
      errors["images"] = FieldError("error.images_total")
    } else if left + files.count > PostRules.maximumImages {
      errors["images"] = FieldError("error.images_many")
    } else {
      let uploaded = UploadedPictures(files, of: viewer, in: services, context)
      for (index, draft) in uploaded.drafts {
        let place = filePlaces[index]
        let edit = PictureEdit(
          id: draft.id, order: place.order, description: place.description, isRemoved: false)
        added.append(AddedPicture(draft: draft, edit: edit))
      }
      failed = uploaded.failed
      errors["images"] = failed.error
    }
    // A rejected picture has an error of its own; the others may still be enough.
    let images = min(left + files.count, PostRules.maximumImages)
    errors["content"] = PostRules.problem(content: content, images: images)?.error
  }
}

extension PictureEdit {
  static func unchanged(_ picture: Picture, at order: Int) -> PictureEdit {
    PictureEdit(
      id: picture.id, order: order, description: picture.description, isRemoved: false)
  }
}

/// A draft that becomes a picture of an existing post.
struct AddedPicture {
  let draft: Draft
  let edit: PictureEdit
}
