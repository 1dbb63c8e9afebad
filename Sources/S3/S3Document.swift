import Core
import Media
import XML

/// The XML of answers, of which only few elements are read.
enum S3Document {
  private struct Malformed: Error {}

  private static let limits = XMLLimits(
    document: 4 << 20, depth: 10, name: 200, value: 1000, text: 4096, attributes: 10)

  /// The maximum length of a list with 1,000 files, in bytes.
  static let listLimit = 4 << 20

  /// The `Code` of an error; nil if it is none. It has only letters, since it gets into logs and
  /// terminals.
  static func errorCode(_ body: [UInt8]) -> String? {
    // Pictures and empty answers are no XML.
    guard body.starts(with: Array("<".utf8)) else { return nil }
    var code: String?
    try? elements(of: body) { path, text in
      if path == ["Error", "Code"] {
        code = String(text.filter { $0.isASCII && $0.isLetter }.prefix(100))
      }
    }
    return code
  }

  /// The identifier of a begun upload; nil if the answer has none.
  static func uploadID(_ body: [UInt8]) -> String? {
    var id: String?
    try? elements(of: body) { path, text in
      if path == ["InitiateMultipartUploadResult", "UploadId"], !text.isEmpty { id = text }
    }
    return id
  }

  /// A page of a list (`ListObjectsV2`) below a prefix, of the paths after `mark`. Throws for an answer
  /// that is no such list, or that would never end.
  static func page(
    _ body: [UInt8], below prefix: String, after mark: String?
  ) throws(MediaError) -> MediaPage {
    var files: [MediaFile] = []
    var isTruncated = false
    var isList = false
    var (key, size, changed) = ("", "", "")
    do {
      try elements(of: body) { path, text in
        switch path {
        case ["ListBucketResult"]: isList = true
        case ["ListBucketResult", "IsTruncated"]: isTruncated = text == "true"
        case ["ListBucketResult", "Contents", "Key"]: key = text
        case ["ListBucketResult", "Contents", "Size"]: size = text
        case ["ListBucketResult", "Contents", "LastModified"]: changed = text
        case ["ListBucketResult", "Contents"]:
          guard let bytes = Int(size), bytes >= 0, let at = Instant(rfc3339: changed) else {
            throw Malformed()
          }
          files.append(MediaFile(path: key, size: bytes, storedAt: at))
          (key, size, changed) = ("", "", "")
        default: break
        }
      }
    } catch {
      throw .unavailable("S3: not a list of files")
    }
    guard isList else { throw .unavailable("S3: not a list of files") }
    var last = mark ?? ""
    for file in files {
      // By bytes, as stores sort.
      guard file.path.hasPrefix(prefix), last.utf8.lexicographicallyPrecedes(file.path.utf8) else {
        throw .unavailable("S3: a list out of order")
      }
      last = file.path
    }
    guard !isTruncated || !files.isEmpty else { throw .unavailable("S3: a list without an end") }
    return MediaPage(files: files, next: isTruncated ? last : nil)
  }

  /// Calls `handle` at the end of each element, with the names from the root to it and its text.
  private static func elements(
    of body: [UInt8], _ handle: ([String], String) throws -> Void
  ) throws {
    var path: [String] = []
    var text = ""
    try XMLReader(limits).read(body) { event in
      switch event {
      case .open(let name, _):
        path.append(name)
        text = ""
      case .text(let piece): text += piece
      case .close:
        try handle(path, text)
        path.removeLast()
        text = ""
      }
    }
  }
}
