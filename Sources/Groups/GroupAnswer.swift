import Web

/// A group, or that it is as it was.
enum GroupAnswer: APIAnswer {
  case group(GroupRecord)
  case unchanged

  static let answers: [Operation.Answer] = [
    .init(.ok, "The group.", json: GroupRecord.self),
    .init(.notModified, "`since` is the present version."),
  ]

  func response() -> Response {
    switch self {
    case .group(let group): group.response()
    case .unchanged: Response(.notModified)
    }
  }
}
