import Core
import Foundation
import Glibc
import Media
import Secrets

/// Media in a bucket of a store that speaks S3. A file's key is its path.
public struct S3Store: MediaStore {
  /// The internal nginx location that fetches files from the bucket.
  public static let location = "/stored-media/"
  /// For how long the address that nginx gets is valid, in s.
  static let validity = 60
  /// The size of the pieces in which larger files are sent and fetched, in bytes: each has the time of
  /// one request, and no request may take more than 5 GiB.
  static let pieceSize = 8 << 20
  /// The names of working folders and copies, which are deleted at the next start if they are left.
  private static let workspacePrefix = "upload-media-"

  private let client: S3Client
  private let signature: S3Signature
  private let workFolder: String
  private let pieceSize: Int
  private let clock: any Clock

  /// - Parameters:
  ///   - workFolder: A folder for files until they are in the bucket.
  ///   - clock: The true time, which the store compares with its own.
  ///   - log: Gets the reason of each failure.
  public init(
    _ settings: S3Settings, workFolder: String, clock: any Clock = SystemClock(),
    log: @escaping @Sendable (String) -> Void
  ) {
    self.init(settings, workFolder: workFolder, timing: .init(), clock: clock, log: log)
  }

  init(
    _ settings: S3Settings, workFolder: String, pieceSize: Int = S3Store.pieceSize,
    timing: S3Client.Timing, clock: any Clock, log: @escaping @Sendable (String) -> Void
  ) {
    self.pieceSize = pieceSize
    client = S3Client(settings, timing: timing, clock: clock, log: log)
    signature = S3Signature(settings: settings)
    self.workFolder = workFolder
    self.clock = clock
  }

  /// Files are made in a folder of this machine that is removed afterwards.
  public func write<Result, Failure: Error>(
    into folder: String, orThrow failure: (MediaError) -> Failure,
    _ make: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let workspace = "\(workFolder)/\(Self.workspacePrefix)\(ID<S3Store>.random())"
    defer { try? FileManager.default.removeItem(atPath: workspace) }
    do throws(MediaError) { try MediaFolder.make(workspace) } catch { throw failure(error) }
    let result = try make(workspace)
    do throws(MediaError) {
      try putAll(in: workspace, into: folder)
    } catch {
      throw failure(error)
    }
    return result
  }

  private func putAll(in workspace: String, into folder: String) throws(MediaError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: workspace)) ?? []
    var done: [String] = []
    for name in names.sorted() where !name.hasPrefix(".") {
      do throws(MediaError) {
        try put(file: "\(workspace)/\(name)", as: "\(folder)/\(name)")
        done.append("\(folder)/\(name)")
      } catch {
        // What can't be deleted is left to the cleanup job.
        try? delete(done)
        throw error
      }
    }
  }

  public func put(_ bytes: [UInt8], as path: String) throws(MediaError) {
    try expect(
      S3Client.Call(method: "PUT", path: try key(path), headers: Self.binary, body: bytes))
  }

  public func put(file: String, as path: String) throws(MediaError) {
    let key = try key(path)
    var status = stat()
    guard stat(file, &status) == 0 else { throw MediaError(FileOperationError("stat", file)) }
    if Int(status.st_size) > pieceSize {
      try S3Upload(client: client, key: key, pieceSize: pieceSize).send(file)
    } else {
      try expect(S3Client.Call(method: "PUT", path: key, headers: Self.binary, file: file))
    }
    unlink(file)
  }

  /// The file is copied into the working folder.
  public func read<Result, Failure: Error>(
    _ path: String, orThrow failure: (MediaError) -> Failure,
    _ use: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let copy = "\(workFolder)/\(Self.workspacePrefix)\(ID<S3Store>.random())"
    defer { unlink(copy) }
    do throws(MediaError) {
      guard try fetch(path, to: copy) else { return nil }
    } catch {
      throw failure(error)
    }
    return try use(copy)
  }

  /// Copies a file to this machine, in pieces; returns false if there is none.
  private func fetch(_ path: String, to copy: String) throws(MediaError) -> Bool {
    guard let size = try size(of: path) else { return false }
    let output = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw MediaError(FileOperationError("make", copy)) }
    defer { close(output) }
    var position = 0
    while position < size {
      let end = min(position + pieceSize, size)
      let range = [(name: "Range", value: "bytes=\(position)-\(end - 1)")]
      let answer = try client.send(
        S3Client.Call(
          method: "GET", path: try key(path), headers: size > pieceSize ? range : [],
          limit: end - position))
      if answer.status == 404 { return false }
      guard answer.body.count == end - position else {
        throw .unavailable("S3: not the bytes \(position) to \(end) of \(path)")
      }
      try Self.write(answer.body, to: output, of: copy)
      position = end
    }
    return true
  }

  private static func write(
    _ bytes: [UInt8], to output: Int32, of path: String
  ) throws(MediaError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(output, buffer.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw MediaError(FileOperationError("write", path)) }
      written += count
    }
  }

  public func get(_ path: String, limit: Int) throws(MediaError) -> [UInt8]? {
    let answer = try client.send(S3Client.Call(method: "GET", path: try key(path), limit: limit))
    return answer.status == 404 ? nil : answer.body
  }

  public func size(of path: String) throws(MediaError) -> Int? {
    let answer = try client.send(S3Client.Call(method: "HEAD", path: try key(path)))
    if answer.status == 404 { return nil }
    guard let length = answer.contentLength else {
      throw .unavailable("S3: no length of \(path)")
    }
    return length
  }

  /// Copies that the store makes.
  public func link(_ paths: [MediaLink]) throws(MediaError) {
    var done: [String] = []
    for path in paths {
      do throws(MediaError) {
        let source = signature.settings.source(try key(path.old))
        try expect(
          S3Client.Call(
            method: "PUT", path: try key(path.new),
            headers: [(name: "x-amz-copy-source", value: source)]))
        done.append(path.new)
      } catch {
        try? delete(done)
        throw error
      }
    }
  }

  public func delete(_ paths: [String]) throws(MediaError) {
    for path in paths {
      _ = try client.send(S3Client.Call(method: "DELETE", path: try key(path)))
    }
  }

  public func deleteAll(at path: String) throws(MediaError) {
    try delete([path])
    var mark: String?
    repeat {
      let page = try page(below: path, after: mark)
      try delete(page.files.map(\.path))
      mark = page.next
    } while mark != nil
  }

  public func page(below folder: String, after mark: String?) throws(MediaError) -> MediaPage {
    let prefix = "\(folder)/"
    // In the order of their names, as a signature needs them.
    let query = [
      (name: "list-type", value: "2"), (name: "prefix", value: prefix),
      (name: "start-after", value: mark ?? ""),
    ].filter { !$0.value.isEmpty }
    let answer = try client.send(
      S3Client.Call(method: "GET", path: "", query: query, limit: S3Document.listLimit))
    guard answer.status != 404 else { throw .unavailable("S3: there is no such bucket") }
    return try S3Document.page(answer.body, below: prefix, after: mark)
  }

  /// An address that is valid for a minute, for nginx alone.
  public func location(of path: String) -> String {
    let query = signature.query(of: "/\(path)", seconds: Self.validity, now: clock.now())
    return "\(Self.location)\(path)?\(query)"
  }

  public var isLocal: Bool { false }

  /// Browsers get their media type from the handlers.
  static let binary = [(name: "Content-Type", value: "application/octet-stream")]

  /// Sends a request to which 404 is no answer.
  private func expect(_ call: S3Client.Call) throws(MediaError) {
    let answer = try client.send(call)
    guard answer.status != 404 else {
      throw .unavailable("S3: \(call.method) \(call.path): answered 404")
    }
  }

  /// The path of a request. Our paths need no encoding, and nginx takes no others.
  private func key(_ path: String) throws(MediaError) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }),
      path.wholeMatch(of: /[A-Za-z0-9_.\/-]{1,300}/) != nil
    else { throw .failed("not the path of a file: \(path)") }
    return "/\(path)"
  }
}
