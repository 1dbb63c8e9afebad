import Core
import Foundation
import Templates
import Web

/// nginx's error pages: static files in three languages, rendered from the templates at start; for
/// the API in JSON, in the instance's language.
struct StaticErrorPages {
  /// The statuses that nginx may answer to a page.
  private static let pageStatuses = [400, 404, 405, 413, 414, 429, 431, 502, 503, 504]
  /// The statuses that nginx may answer to an API call.
  static let apiStatuses = [413, 429, 502, 503, 504]
  /// The statuses that nginx answers to a call whose body is not accepted.
  private static let admissionStatuses = [401, 403, 404]

  private let instance: Instance

  init(_ instance: Instance) {
    self.instance = instance
  }

  func write() throws {
    let folder = "\(instance.configuration.runFolder)/errors"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let page = try instance.site.templates.template("errors/static", StaticErrorView.self)
    for status in Self.pageStatuses {
      let view = StaticErrorView(status: status, catalogues: instance.site.catalogues)
      let bytes = page.render(view, in: instance.configuration.language)
      try Data(bytes).write(
        to: URL(fileURLWithPath: "\(folder)/\(status).html"), options: .atomic)
    }
    for status in Self.admissionStatuses + Self.apiStatuses {
      try Data(json(status)).write(
        to: URL(fileURLWithPath: "\(folder)/\(status).json"), options: .atomic)
    }
  }

  private func json(_ status: Int) -> [UInt8] {
    let code: APIErrorCode =
      switch status {
      case 401: .invalidToken
      case 403: .forbidden
      case 404: .notFound
      case 413: .payloadTooLarge
      case 429: .rateLimited
      default: .unavailable
      }
    let own = "api.error.\(code.rawValue)"
    let message = instance.site.catalogues.text(
      status < 500 && instance.site.catalogues.contains(own) ? own : "problem.s\(status).message",
      in: instance.configuration.language)
    let error: JSON = ["error": ["code": .text(code.rawValue), "message": .text(message)]]
    return error.bytes
  }
}

struct StaticErrorView: View {
  struct ErrorTextView: View {
    let language: Language
    let title: String
    let message: String

    static let fields: [String: Field<ErrorTextView>] = [
      "lang": .text { $0.language.rawValue },
      "title": .text { $0.title },
      "message": .text { $0.message },
    ]
  }

  let status: Int
  let texts: [ErrorTextView]

  init(status: Int, catalogues: Catalogues) {
    self.status = status
    texts = Language.allCases.map { language in
      ErrorTextView(
        language: language,
        title: catalogues.text("problem.s\(status).title", in: language),
        message: catalogues.text("problem.s\(status).message", in: language))
    }
  }

  static let fields: [String: Field<StaticErrorView>] = [
    "status": .integer { $0.status },
    "languages": .list { $0.texts },
  ]
}
