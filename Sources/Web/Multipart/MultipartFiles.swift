import Core
import Glibc

/// The disk refused a file of a form.
public struct UploadError: DiskError, Hashable, Sendable, CustomStringConvertible {
  public let path: String
  /// The system's error number.
  public let code: Int32

  public var systemError: Int32 { code }

  public var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// The temporary files of one form, deleted with this object.
final class MultipartFiles {
  private let directory: String
  private var paths: [String] = []

  init(directory: String) {
    self.directory = directory
  }

  deinit {
    removeAll()
  }

  /// Creates an empty file with mode 600. Throws `UploadError`.
  func make() throws(UploadError) -> MultipartFile {
    let path = "\(directory)/upload-\(ID<MultipartFile>.random())"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw UploadError(path: path, code: errno) }
    paths.append(path)
    return MultipartFile(path: path, descriptor: descriptor)
  }

  func remove(_ file: MultipartFile) {
    unlink(file.path)
    paths.removeAll { $0 == file.path }
  }

  func removeAll() {
    for path in paths { unlink(path) }
    paths = []
  }
}

/// One temporary file while it is written.
final class MultipartFile {
  let path: String
  private let descriptor: Int32

  fileprivate init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Appends bytes. Throws `UploadError`.
  func append(_ bytes: UnsafeRawBufferPointer) throws(UploadError) {
    var rest = bytes[...]
    while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let count = write(descriptor, start, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw UploadError(path: path, code: errno) }
      rest = rest.dropFirst(count)
    }
  }
}
