import Core
import Database
import Images
import Web

/// Processes a new post from the form or the API: the pictures first, then the text, and the whole
/// once.
struct NewPostService {
  /// Result of a submission.
  enum Outcome {
    /// Path of the new post.
    case posted(String)
    /// The same form with the same content was submitted before: the first answer again, no second
    /// post.
    case answered(String)
    /// Not posted; valid pictures are kept as drafts.
    case wrong(NewPostForm)
  }

  let services: FeedEnvironment

  /// Creates the post or returns the form with errors. Throws 403 if the viewer may not post.
  func post(_ sent: NewPostForm, by viewer: Viewer, _ context: Context) throws -> Outcome {
    guard viewer.mayPost else { throw Problem.forbidden }
    var sent = sent
    let hash = try sent.hash()
    if let before = try answered(sent, hash, viewer) { return .answered(before) }
    try services.limits.count(UploadedPictures.submissions, viewer.id.description, now: context.now)
    takePictures(&sent, viewer, context)
    sent.checkWords()
    guard sent.errors.isEmpty, sent.failed.isEmpty else { return .wrong(sent) }
    do {
      return .posted(
        try PostCreator(services: services).make(sent, hash: hash, by: viewer, now: context.now))
    } catch let problem as Problem where problem.status == .tooManyRequests {
      sent.retryAfter = problem.retryAfter
      sent.errors["content"] = FieldError("error.posts_many")
      return .wrong(sent)
    } catch PictureError.busy {
      sent.isBusy = true
      sent.errors["images"] = PictureError.busy.error
      return .wrong(sent)
    }
  }

  private func answered(_ sent: NewPostForm, _ hash: [UInt8], _ viewer: Viewer) throws -> String? {
    guard !sent.nonce.isEmpty else { return nil }
    return try services.site.database.write {
      try services.answers.location(of: sent.nonce, hash: hash, from: viewer, in: $0)
    }
  }

  /// Processes every uploaded picture and keeps it as a draft.
  private func takePictures(_ sent: inout NewPostForm, _ viewer: Viewer, _ context: Context) {
    if sent.isTooMuchTogether {
      sent.errors["images"] = FieldError("error.images_total")
      return
    }
    guard sent.keptCount + sent.files.count <= PostRules.maximumImages else {
      sent.errors["images"] = FieldError("error.images_many")
      return
    }
    let uploaded = UploadedPictures(
      sent.files.map(\.file), of: viewer, in: services, context)
    for (place, draft) in uploaded.drafts {
      sent.add(draft, description: sent.files[place].description)
    }
    sent.failed = uploaded.failed
    // A browser without a network may send the form after days.
    sent.errors["images"] =
      uploaded.failed.error ?? (sent.lacksDrafts ? FieldError("error.images_gone") : nil)
  }

  /// Deletes the drafts of a failed post, for clients that do not submit again.
  func drop(_ sent: NewPostForm, of viewer: Viewer) throws {
    try services.site.database.write {
      try services.drafts.remove(sent.allDrafts, of: viewer, in: $0)
    }
    services.folders.remove(sent.allDrafts, in: PictureFolders.drafts(of: viewer.id))
  }
}

extension PictureError {
  /// The error text for the picture.
  var error: FieldError {
    switch self {
    case .busy: FieldError("error.image_busy")
    case .tooManyBytes: FieldError("error.image_large")
    case .tooManyPixels: FieldError("error.image_pixels")
    case .unsupportedFormat: FieldError("error.image_format")
    case .damaged: FieldError("error.image_broken")
    case .diskFull: FieldError("error.image_full")
    case .failed: FieldError("error.image_failed")
    }
  }
}
