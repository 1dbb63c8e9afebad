import Core
import FastCGI
import HTTPTypes
import Web

/// Converts a FastCGI exchange to a `Request`, and a `Response` back.
public enum FastCGIBridge {
  /// Answers one exchange. The internal locations that a response may refer to begin with
  /// `guardPrefix`.
  public static func answer(
    _ exchange: FastCGIExchange, with application: Application, guardPrefix: GuardPrefix
  ) {
    let request = request(exchange)
    var response = application.respond(to: request)
    if let location = response.headers[.accelRedirect] {
      response.headers[.accelRedirect] = guardPrefix.path + location
    }
    let isHead = request.method == .head
    // The browser may have disconnected; there is no client to report to.
    try? exchange.write(head(of: response), isHead ? [] : response.body)
  }

  /// Answers the one exchange of a plain CGI: its web server has no internal locations.
  static func answer(
    _ exchange: FastCGIExchange, with application: Application, files: PlainCGIFiles
  ) {
    let request = request(exchange)
    var response = application.respond(to: request)
    let file = files.open(for: &response)
    let isHead = request.method == .head
    do {
      try exchange.write(head(of: response), isHead ? [] : response.body)
      if !isHead { try file?.send { try exchange.write($0) } }
    } catch {
      // The browser may have disconnected; there is no client to report to.
    }
  }

  static func request(_ exchange: FastCGIExchange) -> Request {
    var headers = HTTPFields()
    var values = Parameters()
    exchange.forEachParameter { name, value in
      if name.hasPrefix("HTTP_") {
        // Some servers send these two twice, here and without HTTP_ (RFC 3875, section 4.1.18).
        if name == "HTTP_CONTENT_TYPE" || name == "HTTP_CONTENT_LENGTH" { return }
        if let field = headerName(name.utf8.dropFirst(5)) {
          headers.append(HTTPField(name: field, value: value))
        }
        return
      }
      switch name {
      case "REQUEST_METHOD": values.method = value
      case "REQUEST_URI": values.target = value
      case "PATH_INFO": values.pathInfo = value
      case "QUERY_STRING": values.query = value
      case "CONTENT_TYPE": headers[.contentType] = value.isEmpty ? nil : value
      case "CONTENT_LENGTH": values.length = Int(value)
      case "REMOTE_ADDR": values.peer = value
      case "HTTPS": values.isSecure = value == "on"
      case "REQUEST_ID": values.id = value
      case "PAIRSPOT_PURPOSE": values.asksForAuthorization = value == "admission"
      default: break
      }
    }
    return Request(
      method: HTTPRequest.Method(rawValue: values.method) ?? .get, target: values.wholeTarget,
      headers: headers, peer: values.peer, isSecure: values.isSecure,
      id: values.id.isEmpty ? ID<Request>.random().description : values.id,
      contentLength: values.length, body: ExchangeBody(exchange: exchange),
      asksForAuthorization: values.asksForAuthorization)
  }

  private struct Parameters {
    var method = "GET"
    var target = ""
    var pathInfo = "/"
    var query = ""
    var length: Int?
    var peer = ""
    var isSecure = false
    var id = ""
    var asksForAuthorization = false

    /// The request target. A web server with plain CGI may not set REQUEST_URI.
    var wholeTarget: String {
      if !target.isEmpty { return target }
      return query.isEmpty ? pathInfo : "\(pathInfo)?\(query)"
    }
  }

  /// "ACCEPT_LANGUAGE" as "accept-language".
  private static func headerName(_ name: Substring.UTF8View) -> HTTPField.Name? {
    HTTPField.Name(
      String(unsafeUninitializedCapacity: name.count) { buffer in
        for (position, byte) in name.enumerated() {
          buffer[position] =
            byte == UInt8(ascii: "_")
            ? UInt8(ascii: "-") : (65...90).contains(byte) ? byte + 32 : byte
        }
        return name.count
      })
  }

  private static func head(of response: Response) -> [UInt8] {
    var head = "Status: \(response.status.code) \(response.status.reasonPhrase)\r\n"
    for field in response.headers {
      head += "\(field.name.rawName): \(field.value)\r\n"
    }
    head += "\r\n"
    return Array(head.utf8)
  }
}

/// The body of an exchange, read as it arrives.
private struct ExchangeBody: BodySource {
  let exchange: FastCGIExchange

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try exchange.read(into: buffer)
  }
}
