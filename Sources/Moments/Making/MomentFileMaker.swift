import Accounts
import Core
import Films
import Images
import Media
import Web

/// Makes the stored files of an uploaded picture or film.
struct MomentFileMaker {
  let services: MomentsEnvironment

  /// Makes the files in the folder of a moment. What is no picture is tried as a film. Throws a
  /// `MomentFileError`; files may be left in the folder then.
  func make(_ path: String, of moment: ID<Moment>) throws(MomentFileError) -> MadeMomentFile {
    try services.files.media.write(
      into: MomentFiles.folder(moment), orThrow: MomentFileError.init
    ) { (folder) throws(MomentFileError) -> MadeMomentFile in
      try make(path, into: folder)
    }
  }

  private func make(
    _ path: String, into folder: String
  ) throws(MomentFileError) -> MadeMomentFile {
    do throws(PictureError) {
      let made = try services.imageProcessor.process(file: path, kind: .post, into: folder)
      guard let file = ID<MomentFile>(made.id) else {
        throw .failed("no identifier: \(made.id)")
      }
      return MadeMomentFile(
        file: file,
        content: .picture(fileExtension: made.fileExtension, hasWebP: made.hasWebP),
        width: made.width, height: made.height, bytes: made.bytes)
    } catch {
      guard services.films.isAvailable, error.mayBeFilm else { throw .picture(error) }
      do throws(FilmError) {
        return try makeFilm(path, into: folder)
      } catch let filmError {
        // A large file that is no film is a picture that is too large.
        guard filmError == .unsupportedFormat else { throw .film(filmError) }
        throw .picture(error)
      }
    }
  }

  private func makeFilm(
    _ path: String, into folder: String
  ) throws(FilmError) -> MadeMomentFile {
    let made = try services.films.film(
      file: path, maximumSeconds: MomentRules.filmSeconds, into: folder)
    guard let file = ID<MomentFile>(made.id) else { throw .failed("no identifier: \(made.id)") }
    return MadeMomentFile(
      file: file, content: .film(milliseconds: made.milliseconds, hasSound: made.hasSound),
      width: made.width, height: made.height, bytes: made.bytes)
  }
}

/// The reason why the file of a moment is rejected.
enum MomentFileError: Error {
  case picture(PictureError)
  case film(FilmError)

  /// The reason why the files were not stored.
  init(_ error: MediaError) {
    self = .picture(PictureError(error))
  }

  /// The reason of an internal error, for the log.
  var reason: String? {
    switch self {
    case .picture(.failed(let reason)): "picture: \(reason)"
    case .film(.failed(let reason)): "film: \(reason)"
    case .picture, .film: nil
    }
  }

  /// The problem with an error of the field `file`.
  var problem: Problem {
    switch self {
    case .picture(let error): error.problem(fields: ["file": error.fieldError])
    case .film(let error): error.problem(fields: ["file": error.fieldError])
    }
  }
}

extension PictureError {
  /// Whether the file may be a film: it is none of the known pictures, or larger than these may be.
  fileprivate var mayBeFilm: Bool {
    switch self {
    case .tooManyBytes, .unsupportedFormat(.video), .unsupportedFormat(.unknown): true
    default: false
    }
  }

  fileprivate var fieldError: FieldError {
    switch self {
    case .busy: FieldError("moments.file_busy")
    case .tooManyBytes: FieldError("moments.picture_large")
    case .tooManyPixels: FieldError("moments.picture_pixels")
    case .unsupportedFormat: FieldError("moments.file_format")
    case .damaged: FieldError("moments.file_broken")
    case .diskFull: FieldError("error.image_full")
    case .failed: FieldError("moments.file_failed")
    }
  }
}

extension FilmError {
  fileprivate var fieldError: FieldError {
    switch self {
    case .busy: FieldError("moments.file_busy")
    case .tooManyBytes: FieldError("moments.file_large")
    case .tooLong: FieldError("moments.film_long", ["most": String(MomentRules.filmSeconds)])
    case .tooManyPixels: FieldError("moments.film_pixels")
    case .unsupportedFormat, .unavailable: FieldError("moments.file_format")
    case .damaged, .noPicture, .noSound: FieldError("moments.file_broken")
    case .diskFull: FieldError("error.image_full")
    case .failed: FieldError("moments.file_failed")
    }
  }

  fileprivate func problem(fields: [String: FieldError]) -> Problem {
    switch self {
    case .unsupportedFormat, .unavailable: Problem(.unsupportedFormat, fields: fields)
    case .tooManyBytes: Problem(.payloadTooLarge, fields: fields)
    case .tooLong, .tooManyPixels, .damaged, .noPicture, .noSound:
      Problem(.notAcceptablePicture, fields: fields)
    case .busy: Problem(.unavailable, fields: fields, retryAfter: 5)
    case .diskFull: .diskFull(fields: fields, retryAfter: 60)
    case .failed: Problem(.internal)
    }
  }
}
