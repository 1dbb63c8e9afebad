import HTTPTypes

/// The response of an API call that succeeded.
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

/// A record alone is answered with 200.
extension JSONResponse {
  public static var answers: [Operation.SuccessResponse] { [.init(.ok, "Done.", json: Self.self)] }
  public func response() -> Response { response(.ok) }
}

/// 201 with the created record.
public struct Created<Body: JSONResponse>: APIResponse {
  public let body: Body

  public init(_ body: Body) { self.body = body }

  public static var answers: [Operation.SuccessResponse] {
    [.init(.created, "Made.", json: Body.self)]
  }
  public func response() -> Response { body.response(.created) }
}

/// 202 with a record of the accepted work.
public struct Accepted<Body: JSONResponse>: APIResponse {
  public let body: Body

  public init(_ body: Body) { self.body = body }

  public static var answers: [Operation.SuccessResponse] {
    [.init(.accepted, "Accepted; processed in the background.", json: Body.self)]
  }
  public func response() -> Response { body.response(.accepted) }
}

/// 201 with the created record, or 200 with the existing one.
public enum CreatedOrFound<Body: JSONResponse>: APIResponse {
  case created(Body)
  case found(Body)

  public static var answers: [Operation.SuccessResponse] {
    [
      .init(.created, "Made.", json: Body.self),
      .init(.ok, "It already existed.", json: Body.self),
    ]
  }

  public func response() -> Response {
    switch self {
    case .created(let body): body.response(.created)
    case .found(let body): body.response(.ok)
    }
  }
}

/// 204: done, without a body.
public struct NoContent: APIResponse {
  public init() {}

  public static var answers: [Operation.SuccessResponse] { [.init(.noContent, "Done.")] }
  public func response() -> Response { .noContent() }
}

/// 202 without a body: it will be done, or the response must not reveal whether it will.
public struct AcceptedEmpty: APIResponse {
  public init() {}

  public static var answers: [Operation.SuccessResponse] { [.init(.accepted, "Taken.")] }
  public func response() -> Response { Response(.accepted) }
}
