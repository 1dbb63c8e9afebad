import Core

/// How much a form with files may hold (docs/developer/web-security.md#limits-of-requests).
public struct MultipartLimits: Sendable {
  /// Fields that are no files.
  public var fields = FormDecoding.mostFields
  /// Bytes of a field's name.
  public var nameBytes = FormDecoding.mostNameBytes
  /// Of each field's value.
  public var field = FieldLimits.paragraphs
  /// Bytes of all fields' names and values together.
  public var fieldBytes = 1 << 20
  /// Bytes of the head of a part.
  public var headBytes = 8192
  /// Files that are kept; those behind them are read and dropped.
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
  /// 30 MB each (docs/developer/photo-stories.md#limits), as many together as the body of a form
  /// may hold.
  public static let photos = MultipartLimits(
    files: 40, fileBytes: 30 << 20, allFilesBytes: 250 << 20)
}

/// A file that came with a form and lies in a temporary place.
public struct UploadedFile: Sendable, Hashable {
  public let fieldName: String
  /// The last part of the name that the browser gave, for showing only; it may be empty.
  public let fileName: String
  /// What the browser says it is, in lower case without parameters: never to be trusted.
  public let contentType: String
  /// Where it lies until the form is gone; empty when it was too large.
  public let path: String
  /// How many bytes came, those of a file that was too large included.
  public let bytes: Int
  /// Over the limit of one file or of all together: its bytes were dropped.
  public let tooLarge: Bool
}

/// A form of `multipart/form-data` (RFC 7578): fields in memory, files on the disk.
///
/// The files are removed with the form: whoever wants to keep one moves or copies it before.
public final class MultipartForm {
  /// The fields in their order, names that come twice twice.
  public let fields: [(name: String, value: String)]
  /// The files in their order; inputs without a file are left out.
  public let files: [UploadedFile]
  /// More files came than are kept; the fields are whole all the same.
  public let tooManyFiles: Bool
  /// The files together were over the limit; the fields are whole all the same.
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
  /// names that begin with "upload-"; `read` fills a buffer and answers how many bytes came, 0
  /// at the end. A file over a limit is read and dropped, so that the words before and behind it
  /// are kept. Throws `FormError`, `UploadError` and what `read` throws; nothing stays on the
  /// disk then.
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

  /// Removes the files now instead of with the form.
  public func removeFiles() {
    store.removeAll()
  }
}
