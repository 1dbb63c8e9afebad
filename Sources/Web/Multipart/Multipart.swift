import Core

/// The limits of a form with files (docs/developer/web-security.md#limits-of-requests).
public struct MultipartLimits: Sendable {
  /// Fields that are not files.
  public var fields = FormDecoding.maximumFields
  /// Bytes of a field's name.
  public var nameBytes = FormDecoding.maximumNameBytes
  /// Of each field's value.
  public var field = FieldLimits.paragraphs
  /// Bytes of all fields' names and values together.
  public var fieldBytes = 1 << 20
  /// Bytes of the head of a part.
  public var headBytes = 8192
  /// Files that are kept; the rest are read and dropped.
  public var files: Int
  /// Bytes of one file.
  public var fileBytes: Int
  /// Bytes of all files together.
  public var allFilesBytes: Int

  public init(files: Int, fileBytes: Int, allFilesBytes: Int) {
    self.files = files
    self.fileBytes = fileBytes
    self.allFilesBytes = allFilesBytes
  }

  /// 12 MB each and 120 MB together (docs/developer/feed.md;
  /// docs/developer/web-security.md#limits-of-requests).
  public static let pictures = MultipartLimits(
    files: 40, fileBytes: 12 << 20, allFilesBytes: 120 << 20)
  /// 30 MB each (docs/developer/photo-stories.md#limits), and together as much as the body of a
  /// form may have.
  public static let photos = MultipartLimits(
    files: 40, fileBytes: 30 << 20, allFilesBytes: 250 << 20)
}

/// A file sent with a form, in a temporary place.
public struct UploadedFile: Sendable, Hashable {
  public let fieldName: String
  /// The last part of the name that the browser sent, for display only; it may be empty.
  public let fileName: String
  /// The media type that the browser sent, in lower case without parameters: untrusted.
  public let contentType: String
  /// The path of the file while the form exists; empty if it was too large.
  public let path: String
  /// The number of bytes sent, also of a file that was too large.
  public let bytes: Int
  /// Whether it was over the limit of one file or of all together, and its bytes were dropped.
  public let tooLarge: Bool
}

/// A form of `multipart/form-data` (RFC 7578): fields in memory, files on disk.
///
/// The files are deleted with the form: to keep one, move or copy it before.
public final class MultipartForm {
  /// The fields in order, repeated names included.
  public let fields: [(name: String, value: String)]
  /// The files in order; inputs without a file are left out.
  public let files: [UploadedFile]
  /// Whether more files came than are kept; the fields are complete all the same.
  public let tooManyFiles: Bool
  /// Whether the files together were over the limit; the fields are complete all the same.
  public let filesTooLargeTogether: Bool

  private let store: MultipartFiles

  init(
    fields: [(name: String, value: String)], files: [UploadedFile], tooManyFiles: Bool,
    filesTooLargeTogether: Bool, store: MultipartFiles
  ) {
    self.fields = fields
    self.files = files
    self.tooManyFiles = tooManyFiles
    self.filesTooLargeTogether = filesTooLargeTogether
    self.store = store
  }

  /// Reads a body to its end. `directory` must exist and takes the files, mode 600, under random
  /// names that begin with "upload-". `read` fills a buffer and returns the number of bytes, 0 at
  /// the end. A file over a limit is read and dropped, so that the fields before and after it are
  /// kept. Throws `FormError`, `UploadError` and the errors of `read`; no file is left on disk
  /// then.
  public static func read(
    contentType: String, limits: MultipartLimits, directory: String,
    from read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> MultipartForm {
    let boundary = try MultipartHead.boundary(contentType: contentType)
    return try withoutActuallyEscaping(read) { read in
      let buffer = MultipartBuffer(boundary: boundary, read: read)
      var parser = MultipartParser(
        buffer: buffer, limits: limits, store: MultipartFiles(directory: directory))
      return try parser.parse()
    }
  }

  /// Deletes the files now instead of with the form.
  public func removeFiles() {
    store.removeAll()
  }
}
