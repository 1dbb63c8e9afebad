import Core
import HTTPTypes

/// Reads the body of a request as a form, in either of the two encodings.
struct FormReader {
  let folder: String
  let bodyLimit: Int
  let files: MultipartLimits
  /// The limits of each field.
  let limits: FieldLimits

  init(folder: String, route: Route) {
    self.folder = folder
    bodyLimit = route.bodyLimit
    files = route.files
    limits = route.options.contains(.paragraphs) ? .paragraphs : .line
  }

  /// The form. Throws 400 for a malformed body, 413 and 422 for one over the limits, and disk
  /// errors.
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
    // Larger forms have files, so they are `multipart` and go to the disk.
    guard let body = try request.body(upTo: min(bodyLimit, 1 << 20)) else {
      throw FormError.tooLarge
    }
    let fields = try FormDecoding.decode(body, limits: limits)
    return Form(fields: fields.map { (name: $0.0, value: $0.1) })
  }

  /// Reads the rest of a rejected body, so that the web server can forward the response.
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
