import Core
import HTTPTypes
import Images
import Web

/// The results of processing a form's uploaded pictures: drafts of the valid ones, so that they are
/// not lost if another field is invalid, and the rejected ones.
struct UploadedPictures {
  /// Submissions of one user with pictures, successful or not: each may leave drafts.
  static let submissions = RateLimit("post-forms", maximum: 120, window: .hours(1))

  /// Drafts with their index among the uploaded files, from 0.
  private(set) var drafts: [(place: Int, draft: Draft)] = []
  private(set) var failed: [FailedFile] = []

  init(_ files: [UploadedFile], of viewer: Viewer, in services: FeedEnvironment, _ context: Context)
  {
    let making = PostCreator(services: services)
    for (place, file) in files.enumerated() {
      do throws(PictureError) {
        guard !file.tooLarge else { throw .tooManyBytes }
        drafts.append((place, try making.draft(file.path, of: viewer, now: context.now)))
      } catch {
        failed.append(FailedFile(place: place, file: file, problem: error))
        if case .failed(let reason) = error {
          context.noteError("picture: \(reason)")
        }
      }
    }
  }
}

/// A rejected uploaded file.
struct FailedFile {
  /// Index among the uploaded files, from 0.
  let place: Int
  let file: UploadedFile
  let problem: PictureError
}

extension [FailedFile] {
  /// The error text for the field with the files; nil if none was rejected.
  var error: FieldError? {
    isEmpty ? nil : FieldError("error.images_some", ["count": String(count)])
  }

  /// The status of a response whose only errors are these: 507 if the disk was full, 503 if the
  /// image processor was busy.
  var status: HTTPResponse.Status? {
    if contains(where: { $0.problem == .diskFull }) { return .insufficientStorage }
    return contains { $0.problem == .busy } ? .serviceUnavailable : nil
  }

  func views(_ context: Context) -> [FailedPicture] {
    map { FailedPicture(name: $0.file.fileName, message: context.text($0.problem.error.key)) }
  }
}
