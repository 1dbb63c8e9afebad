import Basics
import HTTPTypes

/// Reads the body of a request as a form, whichever of the two encodings it came in.
struct FormReader {
  let folder: String
  let bodyLimit: Int
  let files: MultipartLimits

  /// Throws 400 for what no browser sends, 413 and 422 for too much, and what the disk says.
  func read(_ request: Request) throws -> Form {
    do {
      return try parse(request, type: request.headers[.contentType]?.lowercased() ?? "")
    } catch let error as FormError {
      drain(request)
      switch error {
      case .malformed, .truncated: throw Problem.badRequest
      case .tooManyFields, .nameTooLong: throw Problem.tooManyFields
      case .tooLarge: throw Problem.tooLarge
      }
    }
  }

  private func parse(_ request: Request, type: String) throws -> Form {
    if type.hasPrefix("multipart/form-data") { return Form(multipart: try multipart(request)) }
    let isPlain = type.hasPrefix("application/x-www-form-urlencoded")
    guard isPlain || request.contentLength ?? 0 == 0 else { throw FormError.malformed }
    guard let body = try request.body(upTo: bodyLimit) else { throw FormError.tooLarge }
    let fields = try FormDecoding.decode(body)
    return Form(fields: fields.map { (name: $0.0, value: $0.1) })
  }

  /// Takes the rest of a refused body, so that the web server can hand on our answer.
  private func drain(_ request: Request) {
    var left = bodyLimit
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
    defer { buffer.deallocate() }
    while left > 0, let count = try? request.body.read(into: buffer), count > 0 { left -= count }
  }

  private func multipart(_ request: Request) throws -> MultipartForm {
    try MultipartForm.read(
      contentType: request.headers[.contentType] ?? "", limits: files, directory: folder
    ) { try request.body.read(into: $0) }
  }
}
