import HTTPTypes

/// What a call of the API answers when it goes well.
public protocol APIAnswer: Sendable {
  static var answers: [Operation.Answer] { get }
  func response() -> Response
}

extension JSONWritable {
  func response(_ status: HTTPResponse.Status) -> Response {
    var output = JSONOutput()
    write(to: &output)
    return .json(output.bytes, status: status)
  }
}

/// A record alone is 200.
extension JSONRecord {
  public static var answers: [Operation.Answer] { [.init(.ok, "Done.", json: Self.self)] }
  public func response() -> Response { response(.ok) }
}

/// 201 with what was made.
public struct Created<Body: JSONRecord>: APIAnswer {
  public let body: Body

  public init(_ body: Body) { self.body = body }

  public static var answers: [Operation.Answer] { [.init(.created, "Made.", json: Body.self)] }
  public func response() -> Response { body.response(.created) }
}

/// 202 with what will be done.
public struct Accepted<Body: JSONRecord>: APIAnswer {
  public let body: Body

  public init(_ body: Body) { self.body = body }

  public static var answers: [Operation.Answer] {
    [.init(.accepted, "It will be done.", json: Body.self)]
  }
  public func response() -> Response { body.response(.accepted) }
}

/// 201 with what was made, or 200 with what was there already.
public enum CreatedOrFound<Body: JSONRecord>: APIAnswer {
  case created(Body)
  case found(Body)

  public static var answers: [Operation.Answer] {
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
public struct Done: APIAnswer {
  public init() {}

  public static var answers: [Operation.Answer] { [.init(.noContent, "Done.")] }
  public func response() -> Response { .noContent() }
}

/// 202 without a body: it will be done, or nobody is told whether it will.
public struct Taken: APIAnswer {
  public init() {}

  public static var answers: [Operation.Answer] { [.init(.accepted, "Taken.")] }
  public func response() -> Response { Response(.accepted) }
}
