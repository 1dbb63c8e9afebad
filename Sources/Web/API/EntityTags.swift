import HTTPTypes
import Secrets

/// ETags of JSON responses to GET: a hash of the body (RFC 9110, section 8.8.3).
enum EntityTags {
  /// The response with its ETag, or 304 if the client has it already.
  static func answer(_ response: Response, to request: Request, options: Route.Options) -> Response
  {
    guard request.method == .get || request.method == .head, response.status == .ok,
      !options.contains(.noStore), response.headers[.contentType] == "application/json"
    else { return response }
    var response = response
    let tag = response.headers[.eTag] ?? tag(of: response.body)
    response.headers[.eTag] = tag
    guard let known = request.headers[.ifNoneMatch], matches(known, tag) else { return response }
    response.headers[.contentType] = nil
    return Response(.notModified, headers: response.headers)
  }

  static func tag(of body: [UInt8]) -> String {
    "\"\(Base64URL.text(Array(Digests.sha256(body).prefix(15))))\""
  }

  /// Weak comparison: nginx makes tags weak when it compresses.
  private static func matches(_ header: String, _ tag: String) -> Bool {
    header.split(separator: ",").contains { item in
      let one = item.drop { $0 == " " }
      return one == "*" || one == tag || (one.hasPrefix("W/") && one.dropFirst(2) == tag)
    }
  }
}
