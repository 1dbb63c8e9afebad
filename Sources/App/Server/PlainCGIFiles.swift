import Foundation
import HTTPTypes
import Media
import S3
import Web

/// Sends the files that responses of a plain CGI refer to: its web server may not know
/// `X-Accel-Redirect`, and would show the internal path to the browser.
struct PlainCGIFiles {
  private let mediaFolder: String
  private let media: any MediaStore
  private let isSecure: Bool

  init(_ configuration: Configuration) {
    mediaFolder = configuration.mediaFolder
    media = configuration.media { _ in }
    isSecure = configuration.isSecure
  }

  /// A file that is open until it was sent.
  struct OpenFile {
    private static let pieceSize = 1 << 16
    private let handle: FileHandle

    init(_ handle: FileHandle) {
      self.handle = handle
    }

    /// Throws errors of reading and sending.
    func send(_ write: ([UInt8]) throws -> Void) throws {
      while let piece = try handle.read(upToCount: Self.pieceSize), !piece.isEmpty {
        try write(Array(piece))
      }
    }
  }

  /// Removes the internal path from a response and adds the file's headers; nil for other
  /// responses. A missing file makes it 404. Live streams are 501, since each would need a process;
  /// pages poll instead.
  func open(for response: inout Response) -> OpenFile? {
    guard let location = response.headers[.accelRedirect] else { return nil }
    response.headers[.accelRedirect] = nil
    defer { SecurityHeaders.addToFile(&response, isSecure: isSecure) }
    let isFile = [Response.mediaLocation, S3Store.location].contains(where: location.hasPrefix)
    do {
      if isFile, let handle = try file(at: location) {
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 0)
        response.headers[.contentLength] = String(size)
        return OpenFile(handle)
      }
      response.status = isFile ? .notFound : .notImplemented
    } catch {
      response.status = .serviceUnavailable
    }
    response.headers[.cacheControl] = "no-store"
    response.headers[.contentType] = nil
    response.headers[.contentDisposition] = nil
    return nil
  }

  /// The open file of an internal location; nil if there is none.
  private func file(at location: String) throws -> FileHandle? {
    let isStored = location.hasPrefix(S3Store.location)
    let prefix = isStored ? S3Store.location : Response.mediaLocation
    let path = String(location.dropFirst(prefix.count).prefix { $0 != "?" })
    let store: any MediaStore = isStored ? media : MediaFolder(mediaFolder)
    // A copy stays readable while it is open.
    return try store.read(path) { FileHandle(forReadingAtPath: $0) }.flatMap { $0 }
  }
}
