import Foundation
import HTTPTypes
import Media
import S3
import Web

/// Sends the files that responses of a plain CGI refer to: its web server may not know
/// `X-Accel-Redirect`, and would show the internal path to the browser.
struct PlainCGIFiles {
  /// Maximum size of a file from a bucket, in bytes: more than any picture has.
  private static let maximumStored = 64 << 20

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
    if location.hasPrefix(S3Store.location) {
      fetch(location, for: &response)
      return nil
    }
    let isFile = location.hasPrefix(Response.mediaLocation)
    guard isFile,
      let handle = FileHandle(
        forReadingAtPath: "\(mediaFolder)/\(location.dropFirst(Response.mediaLocation.count))"),
      let size = try? handle.seekToEnd(), (try? handle.seek(toOffset: 0)) != nil
    else {
      response.status = isFile ? .notFound : .notImplemented
      response.headers[.cacheControl] = "no-store"
      response.headers[.contentType] = nil
      return nil
    }
    response.headers[.contentLength] = String(size)
    return OpenFile(handle)
  }

  /// Takes a file from the bucket into the response.
  private func fetch(_ location: String, for response: inout Response) {
    let path = String(location.dropFirst(S3Store.location.count).prefix { $0 != "?" })
    do throws(MediaError) {
      if let bytes = try media.get(path, limit: Self.maximumStored) {
        response.headers[.contentLength] = String(bytes.count)
        response.body = bytes
        return
      }
      response.status = .notFound
    } catch {
      response.status = .serviceUnavailable
    }
    response.headers[.cacheControl] = "no-store"
    response.headers[.contentType] = nil
  }
}
