import Basics
import Foundation
import Templates
import Web

/// nginx's own error pages: static files in three languages, made from the templates at start; for
/// the API in JSON, in the instance's language.
struct ErrorFiles {
  /// What nginx may answer to a call of the API.
  static let apiStatuses = [413, 502, 503, 504]

  private let house: House

  init(_ house: House) {
    self.house = house
  }

  func write() throws {
    let folder = "\(house.configuration.runFolder)/errors"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let page = try house.site.templates.template("errors/static", StaticErrorView.self)
    for status in [413, 414, 431, 502, 503, 504] {
      let view = StaticErrorView(status: status, catalogues: house.site.catalogues)
      let bytes = page.render(view, in: house.configuration.language)
      try Data(bytes).write(
        to: URL(fileURLWithPath: "\(folder)/\(status).html"), options: .atomic)
    }
    for status in Self.apiStatuses {
      try Data(json(status)).write(
        to: URL(fileURLWithPath: "\(folder)/\(status).json"), options: .atomic)
    }
  }

  private func json(_ status: Int) -> [UInt8] {
    let code: APIErrorCode = status == 413 ? .payloadTooLarge : .unavailable
    let message = house.site.catalogues.text(
      "problem.s\(status).message", in: house.configuration.language)
    let error: JSON = ["error": ["code": .text(code.rawValue), "message": .text(message)]]
    return error.bytes
  }
}

struct StaticErrorView: View {
  struct Words: View {
    let language: Language
    let title: String
    let message: String

    static let fields: [String: Field<Words>] = [
      "lang": .text { $0.language.rawValue },
      "title": .text { $0.title },
      "message": .text { $0.message },
    ]
  }

  let status: Int
  let words: [Words]

  init(status: Int, catalogues: Catalogues) {
    self.status = status
    words = Language.allCases.map { language in
      Words(
        language: language,
        title: catalogues.text("problem.s\(status).title", in: language),
        message: catalogues.text("problem.s\(status).message", in: language))
    }
  }

  static let fields: [String: Field<StaticErrorView>] = [
    "status": .integer { $0.status },
    "languages": .list { $0.words },
  ]
}
