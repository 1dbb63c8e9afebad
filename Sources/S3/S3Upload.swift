import Foundation
import Media

/// Sends a large file in parts
/// (docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). It appears in the bucket once it is
/// complete.
struct S3Upload {
  let client: S3Client
  /// The path of its requests.
  let key: String
  let pieceSize: Int

  /// Throws `MediaError`; nothing appears then. A rule of the bucket removes the parts that can't be
  /// removed here.
  func send(_ file: String) throws(MediaError) {
    let answer = try client.send(
      S3Client.Call(
        method: "POST", path: key, query: [(name: "uploads", value: "")],
        headers: S3Store.binary))
    guard let id = S3Document.uploadID(answer.body) else {
      throw .unavailable("S3: POST \(key): no upload")
    }
    do throws(MediaError) {
      try complete(id, try sendParts(of: file, id))
    } catch {
      _ = try? client.send(
        S3Client.Call(method: "DELETE", path: key, query: [(name: "uploadId", value: id)]))
      throw error
    }
  }

  /// Returns the tags by which the store names the parts.
  private func sendParts(of file: String, _ id: String) throws(MediaError) -> [String] {
    guard let input = FileHandle(forReadingAtPath: file) else {
      throw .failed("cannot read \(file)")
    }
    defer { try? input.close() }
    var tags: [String] = []
    while let part = try next(input, of: file) {
      // In the order of their names, as a signature needs them.
      let query = [
        (name: "partNumber", value: String(tags.count + 1)), (name: "uploadId", value: id),
      ]
      let answer = try client.send(
        S3Client.Call(
          method: "PUT", path: key, query: query, headers: S3Store.binary, body: part))
      guard answer.status != 404, let tag = answer.entityTag,
        tag.wholeMatch(of: /"?[A-Za-z0-9-]{1,100}"?/) != nil
      else { throw .unavailable("S3: PUT \(key): no tag of a part") }
      tags.append(tag)
    }
    return tags
  }

  /// The next piece of the file; nil at its end.
  private func next(_ input: FileHandle, of file: String) throws(MediaError) -> [UInt8]? {
    do {
      guard let piece = try input.read(upToCount: pieceSize), !piece.isEmpty else { return nil }
      return Array(piece)
    } catch {
      throw .failed("cannot read \(file): \(error)")
    }
  }

  private func complete(_ id: String, _ tags: [String]) throws(MediaError) {
    let parts = tags.enumerated().map { number, tag in
      "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
    }
    let body =
      "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      + "\(parts.joined())</CompleteMultipartUpload>"
    let answer = try client.send(
      S3Client.Call(
        method: "POST", path: key, query: [(name: "uploadId", value: id)],
        headers: [(name: "Content-Type", value: "application/xml")], body: Array(body.utf8)))
    guard answer.status != 404 else { throw .unavailable("S3: POST \(key): answered 404") }
  }
}
