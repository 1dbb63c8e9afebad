import Ccurl
import Glibc

/// One sending: the message as libcurl reads it, and the server's replies.
final class SMTPTransfer {
  /// libcurl requires this once a process, before the first handle.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

  private let message: [UInt8]
  private var position = 0
  private(set) var dialogue = SMTPDialogue()
  /// libcurl's own error message.
  private(set) var reason = ""

  init(_ message: [UInt8]) {
    self.message = message
  }

  /// Sends the message; returns libcurl's result code. Throws if libcurl cannot even start.
  func perform(
    _ settings: SMTPSender, from: MailAddress, to: MailAddress
  ) throws(MailSendError) -> CURLcode {
    guard Self.isReady, let handle = curl_easy_init(),
      let recipients = curl_slist_append(nil, "<\(to)>")
    else { throw .temporary("libcurl cannot start") }
    defer {
      curl_easy_cleanup(handle)
      curl_slist_free_all(recipients)
    }
    guard prepare(handle, settings, from: from, recipients: recipients) else {
      throw .temporary("libcurl refuses the settings")
    }
    let result = withExtendedLifetime(self) { curl_easy_perform(handle) }
    reason = String(cString: curl_easy_strerror(result))
    return result
  }

  /// Sets all of libcurl's options; false if it rejects any of them.
  private func prepare(
    _ handle: UnsafeMutableRawPointer, _ settings: SMTPSender, from: MailAddress,
    recipients: UnsafeMutablePointer<curl_slist>
  ) -> Bool {
    let scheme = settings.security == .tls ? "smtps" : "smtp"
    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    let context = Unmanaged.passUnretained(self).toOpaque()
    let encryption = settings.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
    var results = [
      // The path is the name for EHLO.
      text(handle, CURLOPT_URL, "\(scheme)://\(host):\(settings.port)/\(from.domain)"),
      text(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
      // The browser's proxy variables of the environment do not apply to mail.
      text(handle, CURLOPT_PROXY, ""),
      number(handle, CURLOPT_USE_SSL, Int(encryption.rawValue)),
      number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      number(handle, CURLOPT_SSL_VERIFYPEER, 1),
      number(handle, CURLOPT_SSL_VERIFYHOST, 2),
      number(handle, CURLOPT_NOSIGNAL, 1),
      number(handle, CURLOPT_TIMEOUT_MS, Int(settings.timeout * 1000)),
      number(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(settings.timeout * 1000)),
      text(handle, CURLOPT_MAIL_FROM, "<\(from)>"),
      pairspot_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
      number(handle, CURLOPT_UPLOAD, 1),
      pairspot_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(message.count)),
      pairspot_curl_set_read(handle, Self.read),
      pairspot_curl_set_context(handle, CURLOPT_READDATA, context),
      // The only way to learn which command a reply is about.
      number(handle, CURLOPT_VERBOSE, 1),
      pairspot_curl_set_debug(handle, Self.listen),
      pairspot_curl_set_context(handle, CURLOPT_DEBUGDATA, context),
    ]
    if let login = settings.login {
      results.append(text(handle, CURLOPT_USERNAME, login.user))
      results.append(text(handle, CURLOPT_PASSWORD, login.password))
    }
    if let certificates = settings.certificates {
      results.append(text(handle, CURLOPT_CAINFO, certificates))
    }
    return results.allSatisfy { $0 == CURLE_OK }
  }

  private func text(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String)
    -> CURLcode
  {
    pairspot_curl_set_text(handle, option, value)
  }

  private func number(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ value: Int)
    -> CURLcode
  {
    pairspot_curl_set_number(handle, option, value)
  }

  /// libcurl's callback for the next bytes of the message.
  private static let read: curl_read_callback = { buffer, size, count, context in
    guard let buffer, let context else { return 0 }
    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
    let amount = min(size * count, transfer.message.count - transfer.position)
    transfer.message.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, amount > 0 else { return }
      memcpy(buffer, start + transfer.position, amount)
    }
    transfer.position += amount
    return amount
  }

  /// libcurl's callback for traffic; commands and replies are recorded, bodies are not.
  private static let listen: curl_debug_callback = { _, kind, data, size, context in
    guard let data, let context else { return 0 }
    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    switch kind {
    case CURLINFO_HEADER_OUT: transfer.dialogue.sent(bytes)
    case CURLINFO_HEADER_IN: transfer.dialogue.received(bytes)
    default: break
    }
    return 0
  }
}
