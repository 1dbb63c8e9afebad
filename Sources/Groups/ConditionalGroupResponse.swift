import Web

/// A group, or the information that it is unchanged.
enum ConditionalGroupResponse: APIResponse {
  case group(GroupResponse)
  case unchanged

  static let answers: [Operation.SuccessResponse] = [
    .init(.ok, "The group.", json: GroupResponse.self),
    .init(.notModified, "`since` is the present version."),
  ]

  func response() -> Response {
    switch self {
    case .group(let group): group.response()
    case .unchanged: Response(.notModified)
    }
  }
}
