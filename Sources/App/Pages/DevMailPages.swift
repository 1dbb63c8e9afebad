import Core
import Foundation
import Templates
import Web

/// `/dev/mail`: the mails that would have been sent, for trying out. It exists only in development,
/// with the `file` sender and a loopback address, and never through a proxy
/// (docs/developer/web-security.md#development-pages).
struct DevMailPages: Sendable {
  private static let maximumCount = 50

  private let folder: String
  private let page: Page<DevMailView>

  /// Nil where it must not exist.
  init?(site: AppEnvironment, configuration: Configuration) throws {
    let host = configuration.host.split(separator: ":").first ?? ""
    guard configuration.isDevelopment, case .file = configuration.mail,
      host == "localhost" || host.hasPrefix("127.") || configuration.host.hasPrefix("[::1]")
    else { return nil }
    folder = configuration.mailFolder
    page = try Page("dev/mail", title: "dev_mail.title", in: site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try refuseProxies(context.request)
    let names = try names().prefix(Self.maximumCount)
    let mails = names.compactMap { name in
      read(name).map { DevMail($0, name: name) }
    }
    let view = DevMailView(mails: mails)
    return page.response(view, context)
  }

  /// The HTML of one mail, for a sandboxed frame with a policy of its own.
  @Sendable func showHTML(_ context: Context) throws -> Response {
    try refuseProxies(context.request)
    let name = context.parameters["name"] ?? ""
    guard try names().contains(name), let mail = read(name) else { throw Problem.notFound }
    var response = Response.html(Array(mail.html.utf8))
    response.headers[.contentSecurityPolicy] =
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
      + "style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'"
    return response
  }

  private func refuseProxies(_ request: Request) throws {
    if request.isProxied { throw Problem.notFound }
  }

  /// Newest first: names begin with the time in ms.
  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".eml") && !$0.hasPrefix(".") }.sorted(by: >)
  }

  private func read(_ name: String) -> ReceivedMail? {
    FileManager.default.contents(atPath: "\(folder)/\(name)").flatMap { ReceivedMail(Array($0)) }
  }
}

/// A mail as the page shows it.
struct DevMail: View {
  let mail: ReceivedMail
  let name: String

  init(_ mail: ReceivedMail, name: String) {
    self.mail = mail
    self.name = name
  }

  static let fields: [String: Field<DevMail>] = [
    "from": .text { $0.mail.header("from") },
    "to": .text { $0.mail.header("to") },
    "subject": .text { $0.mail.header("subject") },
    "date": .text { $0.mail.header("date") },
    "text": .markup { LinkedText.markup($0.mail.text) },
    "html_link": .optionalText { $0.mail.html.isEmpty ? nil : "/dev/mail/\($0.name)" },
  ]
}

struct DevMailView: View {
  let mails: [DevMail]

  static let fields: [String: Field<DevMailView>] = [
    "mails": .list { $0.mails },
    "empty": .flag { $0.mails.isEmpty },
  ]
}
