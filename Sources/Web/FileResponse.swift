import HTTPTypes

extension Response {
  /// A private file that the handler has in memory, or the part of it that a request asks for.
  ///
  /// It has no validator, so a range with a condition (`If-Range`) gets the whole file.
  public static func file(
    _ bytes: [UInt8], contentType: String, cacheControl: String, for request: Request
  ) -> Response {
    let isRange = request.method == .get && request.headers[.ifRange] == nil
    var response = Response(
      .ok,
      headers: [
        .acceptRanges: "bytes", .cacheControl: cacheControl,
        .contentSecurityPolicy: SecurityHeaders.filePolicy,
      ])
    switch RequestedRange(isRange ? request.headers[.range] : nil, of: bytes.count) {
    case .whole:
      response.headers[.contentType] = contentType
      response.body = bytes
    case .part(let range):
      response.status = .partialContent
      response.headers[.contentType] = contentType
      response.headers[.contentRange] =
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
      response.body = Array(bytes[range])
    case .unsatisfiable:
      response.status = .rangeNotSatisfiable
      response.headers[.contentRange] = "bytes */\(bytes.count)"
    }
    response.headers[.contentLength] = String(response.body.count)
    return response
  }
}

/// The part of a file that a `Range` header asks for (RFC 9110, section 14).
enum RequestedRange: Equatable, Sendable {
  case whole
  case part(Range<Int>)
  /// Begins behind the end of the file.
  case unsatisfiable

  /// The range of a header. Anything but exactly one range of bytes asks for the whole file, as the
  /// standard allows.
  init(_ header: String?, of length: Int) {
    self = .whole
    guard let header, header.hasPrefix("bytes=") else { return }
    let ends = header.dropFirst("bytes=".utf8.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return }
    // A number that is too large is behind the end of every file.
    let numbers: [Int?] = ends.map { $0.isEmpty ? nil : (Int($0) ?? Int.max) }
    switch (numbers[0], numbers[1]) {
    case (nil, nil): return
    case (nil, let count?):
      self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
    case (let first?, let last):
      let end = last ?? Int.max
      guard first <= end else { return }
      self = first < length ? .part(first..<min(end, length - 1) + 1) : .unsatisfiable
    }
  }
}
