import Core
import Dispatch
import Processes
import Synchronization

/// A picture whose files are stored.
public struct ProcessedPicture: Sendable, Equatable {
  /// The random (v4) UUID in the names of its files.
  public let id: String
  /// How its files end, without the dot.
  public let fileExtension: String
  /// Pixels of the original, upright.
  public let width: Int
  /// Pixels of the original, upright.
  public let height: Int
  /// Whether `medium` and `thumb` are there as WebP beside the JPEGs.
  public let hasWebP: Bool
  /// Bytes of all its files together.
  public let bytes: Int
}

/// Has uploaded pictures worked on by child processes, so many at once and no more
/// (docs/developer/feed.md#pictures). Bounds this process alone: another has a workshop of its own.
public final class ImageProcessor: Sendable {
  private let executable: String
  private let arguments: [String]
  private let timeout: Double
  private let maximumWaiting: Int
  private let children: DispatchSemaphore
  private let waiting = Mutex(0)

  /// - Parameters:
  ///   - executable: The program that runs `ImageProcessorProcess`.
  ///   - arguments: What it wants before the child's own arguments.
  ///   - maximumChildren: How many children work at once: as many as cores.
  ///   - maximumWaiting: How many callers may be inside at once, served ones included: a quarter
  ///     of the handler threads.
  ///   - timeout: Seconds after which a child is killed.
  public init(
    executable: String, arguments: [String] = ["picture-child"], maximumChildren: Int,
    maximumWaiting: Int, timeout: Double = 30
  ) {
    self.executable = executable
    self.arguments = arguments
    self.timeout = timeout
    self.maximumWaiting = max(1, maximumWaiting)
    children = DispatchSemaphore(value: max(1, maximumChildren))
  }

  /// Makes the files of one uploaded picture in a folder, and blocks until they are there.
  ///
  /// Throws a `PictureError`, with nothing left in the folder: `busy` at once when too many are
  /// inside already.
  public func process(file: String, kind: PictureKind, into directory: String)
    throws(PictureError) -> ProcessedPicture
  {
    // What can be told without decoding costs no child.
    let format = try PictureFormat.recognise(
      PictureFile.head(file, of: kind.limits.bytes))
    try enter()
    defer { leave() }
    let id = ID<PictureFiles.Name>.random().description
    do throws(PictureError) {
      guard case .made(let made) = try runChild([kind.rawValue, file, directory, id]) else {
        throw .failed("picture child says what it was not asked")
      }
      return try check(made, kind: kind, format: format, id: id, directory: directory)
    } catch {
      PictureFiles.remove(id: id, in: directory)
      throw error
    }
  }

  /// The texts of the QR codes in one uploaded picture, of which nothing is kept. Blocks until they
  /// are read; throws a `PictureError` as `process` does.
  public func codes(in file: String) throws(PictureError) -> [String] {
    _ = try PictureFormat.recognise(PictureFile.head(file))
    try enter()
    defer { leave() }
    guard case .codes(let codes) = try runChild([ImageProcessorProcess.codes, file]) else {
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
    // A child that dies of its limits, or of a hostile file, is that file's fault.
    if result.timedOut || result.status > 128 { throw .damaged }
    switch (result.status, ImageJobReport(line: result.output)) {
    case (ImageProcessorProcess.Exit.refused, .refused(let error)),
      (ImageProcessorProcess.Exit.failed, .refused(let error)):
      throw error
    case (ImageProcessorProcess.Exit.made, .some(let report)): return report
    default:
      let said = String(decoding: result.errors.prefix(300), as: UTF8.self)
      throw .failed("picture child ended with \(result.status): \(said)")
    }
  }

  private func check(
    _ made: ImageJobReport.ImageResult, kind: PictureKind, format: PictureFormat, id: String,
    directory: String
  ) throws(PictureError) -> ProcessedPicture {
    do { try kind.limits.check(width: made.width, height: made.height) } catch {
      throw .failed("picture child says impossible sizes")
    }
    guard made.fileExtension == kind.fileExtension(for: format),
      !made.hasWebP || (kind != .avatar && format == .jpeg)
    else { throw .failed("picture child says impossible formats") }
    var bytes = 0
    for file in kind.files(fileExtension: made.fileExtension, hasWebP: made.hasWebP) {
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
    guard bytes == made.bytes else { throw .failed("picture child says impossible sizes") }
    return ProcessedPicture(
      id: id, fileExtension: made.fileExtension, width: made.width, height: made.height,
      hasWebP: made.hasWebP, bytes: bytes)
  }
}
