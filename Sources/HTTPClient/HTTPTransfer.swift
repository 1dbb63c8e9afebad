import Ccurl
import Glibc

/// One exchange, and the response as libcurl delivers it, piece by piece.
final class HTTPTransfer {
  /// libcurl requires this once a process, before the first handle.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

  private let bodyLimit: Int
  private var body: [UInt8] = []
  private var isTooLong = false
  /// The open file that is sent; -1 for none.
  private var input: Int32 = -1

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  deinit { if input >= 0 { close(input) } }

  func perform(
    _ request: HTTPCall, _ settings: HTTPClient
  ) throws(HTTPClientError) -> HTTPAnswer {
    guard Self.isReady, let handle = settings.connections?.take() ?? curl_easy_init(),
      let headers = Self.list(request.headers, isSigned: settings.signature != nil)
    else { throw .unreachable("libcurl cannot start") }
    var pinned: UnsafeMutablePointer<curl_slist>?
    var isOver = false
    defer {
      if isOver, let connections = settings.connections {
        connections.give(handle)
      } else {
        curl_easy_cleanup(handle)
      }
      curl_slist_free_all(headers)
      curl_slist_free_all(pinned)
    }
    if !settings.addresses.isEmpty {
      guard let text = settings.pinning(of: request.url) else {
        throw .unusable("no host to be pinned")
      }
      pinned = curl_slist_append(nil, text)
      guard pinned != nil, pairspot_curl_set_list(handle, CURLOPT_RESOLVE, pinned) == CURLE_OK
      else { throw .unusable("libcurl refuses the addresses") }
    }
    guard prepare(handle, request, settings, headers: headers) else {
      throw .unusable("libcurl refuses the request")
    }
    let result = withExtendedLifetime(self) { curl_easy_perform(handle) }
    if isTooLong { throw .tooLong(limit: bodyLimit) }
    let reason = String(cString: curl_easy_strerror(result))
    switch result {
    case CURLE_OK: break
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: throw .untrusted(reason)
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: throw .unusable(reason)
    default: throw .unreachable(reason)
    }
    var status = 0
    guard pairspot_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK else {
      throw .unreachable("an answer without a status")
    }
    isOver = true
    var wait: curl_off_t = 0
    let hasWait =
      pairspot_curl_get_size(handle, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0
    var length: curl_off_t = 0
    let hasLength =
      pairspot_curl_get_size(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == CURLE_OK
      && length >= 0
    return HTTPAnswer(
      status: status, body: body, retryAfter: hasWait ? Int64(wait) : nil,
      cacheControl: Self.header("Cache-Control", handle), date: Self.header("Date", handle),
      contentLength: hasLength ? Int(length) : nil, entityTag: Self.header("ETag", handle))
  }

  /// The value of a header of the last response, the first one if there are several.
  private static func header(_ name: String, _ handle: UnsafeMutableRawPointer) -> String? {
    var found: UnsafeMutablePointer<curl_header>?
    guard
      curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &found) == CURLHE_OK,
      let value = found?.pointee.value
    else { return nil }
    return String(cString: value)
  }

  /// Sets all of libcurl's options; false if it rejects any of them.
  private func prepare(
    _ handle: UnsafeMutableRawPointer, _ request: HTTPCall, _ settings: HTTPClient,
    headers: UnsafeMutablePointer<curl_slist>
  ) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    var results = [
      text(handle, CURLOPT_URL, request.url),
      text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
      // No proxy, even if the environment names one.
      text(handle, CURLOPT_PROXY, ""),
      text(handle, CURLOPT_USERAGENT, "PairSpot"),
      number(handle, CURLOPT_FOLLOWLOCATION, 0),
      number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      number(handle, CURLOPT_SSL_VERIFYPEER, 1),
      number(handle, CURLOPT_SSL_VERIFYHOST, 2),
      number(handle, CURLOPT_NOSIGNAL, 1),
      number(handle, CURLOPT_TIMEOUT_MS, Int(settings.timeout * 1000)),
      number(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(settings.timeout * 1000)),
      pairspot_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
      pairspot_curl_set_write(handle, Self.write),
      pairspot_curl_set_context(handle, CURLOPT_WRITEDATA, context),
    ]
    if let certificates = settings.certificates {
      results.append(text(handle, CURLOPT_CAINFO, certificates))
    }
    if let socket = settings.socket {
      results.append(text(handle, CURLOPT_UNIX_SOCKET_PATH, socket))
    }
    if let signature = settings.signature { results += sign(handle, by: signature) }
    if let file = request.file {
      guard let size = openInput(file) else { return false }
      results += [
        number(handle, CURLOPT_UPLOAD, 1),
        pairspot_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(size)),
        pairspot_curl_set_read(handle, Self.read),
        pairspot_curl_set_context(handle, CURLOPT_READDATA, context),
      ]
    } else if !request.body.isEmpty || ["POST", "PUT"].contains(request.method) {
      // The size comes first: libcurl copies so many bytes.
      results.append(
        pairspot_curl_set_size(
          handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
      // An empty array may have no address at all, which libcurl would treat as no body.
      var body = request.body.isEmpty ? [0] : request.body
      results.append(
        body.withUnsafeMutableBytes {
          pairspot_curl_set_context(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        })
    }
    results.append(text(handle, CURLOPT_CUSTOMREQUEST, request.method))
    if request.method == "HEAD" { results.append(number(handle, CURLOPT_NOBODY, 1)) }
    return results.allSatisfy { $0 == CURLE_OK }
  }

  /// The options for signing. A go-ahead (`Expect`) is hardly waited for, as `list` explains.
  private func sign(
    _ handle: UnsafeMutableRawPointer, by signature: AWSSignature
  ) -> [CURLcode] {
    [
      text(handle, CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)"),
      text(handle, CURLOPT_USERNAME, signature.accessKey),
      text(handle, CURLOPT_PASSWORD, signature.secretKey),
      number(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 1),
    ]
  }

  /// Opens the file that is sent; returns its size in bytes, or nil if there is none.
  private func openInput(_ path: String) -> Int? {
    input = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard input >= 0, fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }

  /// The header lines. `Expect` would make libcurl wait for a go-ahead before long bodies. Not in a
  /// signed request: libcurl 7.88 would sign the line without a value and not send it.
  private static func list(
    _ headers: [(name: String, value: String)], isSigned: Bool
  ) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    let first = isSigned ? [] : ["Expect:"]
    for line in first + headers.map({ "\($0.name): \($0.value)" }) {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        return nil
      }
      list = longer
    }
    return list
  }

  private func text(
    _ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String
  ) -> CURLcode {
    pairspot_curl_set_text(handle, option, value)
  }

  private func number(
    _ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: Int
  ) -> CURLcode {
    pairspot_curl_set_number(handle, option, value)
  }

  /// libcurl's callback for the next bytes of the body; accepting fewer than given ends the
  /// exchange.
  private static let write: curl_write_callback = { data, size, count, context in
    guard let data, let context else { return 0 }
    let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    let amount = size * count
    guard transfer.body.count + amount <= transfer.bodyLimit else {
      transfer.isTooLong = true
      return 0
    }
    transfer.body += UnsafeRawBufferPointer(start: data, count: amount)
    return amount
  }

  /// libcurl's callback for the next bytes of the file that is sent.
  private static let read: curl_read_callback = { buffer, size, count, context in
    let abort = Int(CURL_READFUNC_ABORT)
    guard let buffer, let context else { return abort }
    let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    while true {
      let amount = Glibc.read(transfer.input, buffer, size * count)
      if amount < 0 && errno == EINTR { continue }
      return amount < 0 ? abort : amount
    }
  }
}
