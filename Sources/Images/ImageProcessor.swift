import Core
import Dispatch
import Processes
import Synchronization

/// A picture whose files are stored.
public struct ProcessedPicture: Sendable, Equatable {
  /// The random (v4) UUID in its file names.
  public let id: String
  /// File name extension, without the dot.
  public let fileExtension: String
  /// Width of the upright original, in px.
  public let width: Int
  /// Height of the upright original, in px.
  public let height: Int
  /// Whether `medium` and `thumb` also exist as WebP.
  public let hasWebP: Bool
  /// Total size of its files in bytes.
  public let bytes: Int
}

/// Processes uploaded pictures in a limited number of child processes
/// (docs/developer/feed.md#pictures). The limit is per process.
public final class ImageProcessor: Sendable {
  private let executable: String
  private let arguments: [String]
  private let timeout: Double
  /// Maximum number of concurrent callers, which is also right for other work that occupies a
  /// handler thread for seconds.
  public let maximumWaiting: Int
  private let children: DispatchSemaphore
  private let waiting = Mutex(0)

  /// - Parameters:
  ///   - executable: The program `pairspot-pictures`.
  ///   - arguments: Arguments before the child's own.
  ///   - maximumChildren: Maximum number of concurrent children: the number of cores.
  ///   - maximumWaiting: Maximum number of concurrent callers, including those being served: a
  ///     quarter of the handler threads.
  ///   - timeout: Seconds after which a child is killed.
  public init(
    executable: String, arguments: [String] = [], maximumChildren: Int,
    maximumWaiting: Int, timeout: Double = 30
  ) {
    self.executable = executable
    self.arguments = arguments
    self.timeout = timeout
    self.maximumWaiting = max(1, maximumWaiting)
    children = DispatchSemaphore(value: max(1, maximumChildren))
  }

  /// Makes the files of one uploaded picture in a folder; blocks until they exist.
  ///
  /// Throws a `PictureError`, with nothing left in the folder: `busy` at once if there are too many
  /// callers. A HEIC picture is converted first.
  public func process(file: String, kind: PictureKind, into directory: String)
    throws(PictureError) -> ProcessedPicture
  {
    // Checks that need no decoding need no child.
    let format: PictureFormat
    do throws(PictureError) {
      format = try PictureFormat.recognise(PictureFile.head(file, of: kind.limits.bytes))
    } catch {
      guard error == .unsupportedFormat(.heic), let picture = try convert(file) else { throw error }
      defer { withExtendedLifetime(picture) {} }
      // The JPEG may be larger than the file.
      return try process(file: picture.path, kind: kind.large, into: directory)
    }
    try enter()
    defer { leave() }
    let id = ID<PictureFiles.Name>.random().description
    do throws(PictureError) {
      guard case .image(let image) = try runChild([kind.rawValue, file, directory, id]) else {
        throw .failed("picture child says what it was not asked")
      }
      return try check(image, kind: kind, format: format, id: id, directory: directory)
    } catch {
      PictureFiles.remove(id: id, in: directory)
      throw error
    }
  }

  /// The JPEG of a HEIC picture, beside its file; nil for other formats. Blocks until it exists;
  /// throws a `PictureError` like `process`.
  public func convert(_ file: String) throws(PictureError) -> ConvertedPicture? {
    do throws(PictureError) {
      _ = try PictureFormat.recognise(PictureFile.head(file, of: PictureLimits.photo.bytes))
      return nil
    } catch {
      guard error == .unsupportedFormat(.heic) else { return nil }
    }
    try enter()
    defer { leave() }
    let picture = ConvertedPicture(path: "\(file).jpg")
    guard
      case .image(let image) = try runChild([
        ImageJobReport.convertArgument, file, picture.path,
      ]), PictureFile.size(picture.path) == image.bytes
    else { throw .failed("picture child says what it was not asked") }
    return picture
  }

  /// The texts of the QR codes in one uploaded picture, which is not stored. Blocks until they are
  /// read; throws a `PictureError` like `process`.
  public func codes(in file: String) throws(PictureError) -> [String] {
    _ = try PictureFormat.recognise(PictureFile.head(file))
    try enter()
    defer { leave() }
    guard case .codes(let codes) = try runChild([ImageJobReport.codesArgument, file]) else {
      throw .failed("picture child says what it was not asked")
    }
    return codes
  }

  private func enter() throws(PictureError) {
    let isIn = waiting.withLock { inside in
      guard inside < maximumWaiting else { return false }
      inside += 1
      return true
    }
    guard isIn else { throw .busy }
    children.wait()
  }

  private func leave() {
    children.signal()
    waiting.withLock { $0 -= 1 }
  }

  private func runChild(_ childArguments: [String]) throws(PictureError) -> ImageJobReport {
    let result: ChildProcess.Result
    do {
      result = try ChildProcess.run(
        executable, arguments + childArguments, timeout: timeout, outputLimit: 65_536)
    } catch {
      throw .failed("\(error)")
    }
    // A child killed by its limits or a crash means that the file is bad.
    if result.timedOut || result.status > 128 { throw .damaged }
    guard let report = ImageJobReport(line: result.output), report.exitCode == result.status else {
      let message = String(decoding: result.errors.prefix(300), as: UTF8.self)
      throw .failed("picture child ended with \(result.status): \(message)")
    }
    if case .refused(let error) = report { throw error }
    return report
  }

  private func check(
    _ image: ImageJobReport.ImageResult, kind: PictureKind, format: PictureFormat, id: String,
    directory: String
  ) throws(PictureError) -> ProcessedPicture {
    do { try kind.limits.check(width: image.width, height: image.height) } catch {
      throw .failed("picture child says impossible sizes")
    }
    guard image.fileExtension == kind.fileExtension(for: format),
      !image.hasWebP || (kind.large != .photoAvatar && format == .jpeg)
    else { throw .failed("picture child says impossible formats") }
    var bytes = 0
    for file in kind.files(fileExtension: image.fileExtension, hasWebP: image.hasWebP) {
      let path = "\(directory)/\(file.name(id: id))"
      guard let size = PictureFile.size(path), size > 0 else {
        throw .failed("picture child did not make \(path)")
      }
      let stored = try? PictureFormat.recognise(PictureFile.head(path, of: .max))
      guard stored?.fileExtension == file.fileExtension else {
        throw .failed("picture child made something else of \(path)")
      }
      bytes += size
    }
    guard bytes == image.bytes else { throw .failed("picture child says impossible sizes") }
    return ProcessedPicture(
      id: id, fileExtension: image.fileExtension, width: image.width, height: image.height,
      hasWebP: image.hasWebP, bytes: bytes)
  }
}
