import HTTPTypes

/// What a call of the API answers when it goes well.
public protocol APIResponse: Sendable {
  static var answers: [Operation.SuccessResponse] { get }
  func response() -> Response
}

extension JSONEncodable {
  func response(_ status: HTTPResponse.Status) -> Response {
    var output = JSONOutput()
    write(to: &output)
    return .json(output.bytes, status: status)
  }
}

/// A record alone is 200.
extension JSONResponse {
  public static var answers: [Operation.SuccessResponse] { [.init(.ok, "Done.", json: Self.self)] }
  public func response() -> Response { response(.ok) }
}

/// 201 with what was made.
public struct Created<Body: JSONResponse>: APIResponse {
  public let body: Body

  public init(_ body: Body) { self.body = body }

  public static var answers: [Operation.SuccessResponse] {
    [.init(.created, "Made.", json: Body.self)]
  }
  public func response() -> Response { body.response(.created) }
}

/// 202 with what will be done.
public struct Accepted<Body: JSONResponse>: APIResponse {
  public let body: Body

  public init(_ body: Body) { self.body = body }

  public static var answers: [Operation.SuccessResponse] {
    [.init(.accepted, "It will be done.", json: Body.self)]
  }
  public func response() -> Response { body.response(.accepted) }
}

/// 201 with what was made, or 200 with what was there already.
public enum CreatedOrFound<Body: JSONResponse>: APIResponse {
  case created(Body)
  case found(Body)

  public static var answers: [Operation.SuccessResponse] {
    [
      .init(.created, "Made.", json: Body.self),
      .init(.ok, "It was there already.", json: Body.self),
    ]
  }

  public func response() -> Response {
    switch self {
    case .created(let body): body.response(.created)
    case .found(let body): body.response(.ok)
    }
  }
}

/// 204: done, and there is nothing to say.
public struct NoContent: APIResponse {
  public init() {}

  public static var answers: [Operation.SuccessResponse] { [.init(.noContent, "Done.")] }
  public func response() -> Response { .noContent() }
}

/// 202 without a body: it will be done, or nobody is told whether it will.
public struct AcceptedEmpty: APIResponse {
  public init() {}

  public static var answers: [Operation.SuccessResponse] { [.init(.accepted, "Taken.")] }
  public func response() -> Response { Response(.accepted) }
}
