import Core
import HTTPTypes

/// Reads the body of a request as a form, whichever of the two encodings it came in.
struct FormReader {
  let folder: String
  let bodyLimit: Int
  let files: MultipartLimits
  /// Of each field.
  let limits: FieldLimits

  init(folder: String, route: Route) {
    self.folder = folder
    bodyLimit = route.bodyLimit
    files = route.files
    limits = route.options.contains(.paragraphs) ? .paragraphs : .line
  }

  /// Throws 400 for what no browser sends, 413 and 422 for too much, and what the disk says.
  func read(_ request: Request) throws -> Form {
    do {
      return try parse(request, type: request.headers[.contentType]?.lowercased() ?? "")
    } catch let error as FormError {
      drain(request)
      switch error {
      case .malformed, .truncated: throw Problem.badRequest
      case .tooManyFields, .nameTooLong: throw Problem.tooManyFields
      case .fieldTooLong: throw Problem.fieldTooLong
      case .tooLarge: throw Problem.tooLarge
      }
    }
  }

  private func parse(_ request: Request, type: String) throws -> Form {
    if type.hasPrefix("multipart/form-data") { return Form(multipart: try multipart(request)) }
    let isPlain = type.hasPrefix("application/x-www-form-urlencoded")
    guard isPlain || request.contentLength ?? 0 == 0 else { throw FormError.malformed }
    // Larger forms are those with files, which are `multipart` and go to the disk.
    guard let body = try request.body(upTo: min(bodyLimit, 1 << 20)) else {
      throw FormError.tooLarge
    }
    let fields = try FormDecoding.decode(body, limits: limits)
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
    var limits = files
    limits.field = self.limits
    return try MultipartForm.read(
      contentType: request.headers[.contentType] ?? "", limits: limits, directory: folder
    ) { try request.body.read(into: $0) }
  }
}
