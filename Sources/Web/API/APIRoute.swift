import HTTPTypes

/// Factories of API routes, each with its description. All API routes are created here. The types
/// of the handler describe what a call reads and answers.
extension Route {
  /// The prefix of all API addresses.
  public static let apiBase = "/api/v1"

  /// A call that reads only its path.
  public static func api<Out: APIResponse>(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    options: Options = [], handler: @escaping @Sendable (Context) throws -> Out
  ) -> Route {
    var operation = operation
    operation.answers = Out.answers
    return api(method, path, access, operation, options, bodyLimit: 1 << 20) {
      try handler($0).response()
    }
  }

  /// A call that reads an object: from the query for GET, otherwise from the body.
  public static func api<In: JSONRequest, Out: APIResponse>(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    options: Options = [], bodyLimit: Int = 1 << 20,
    handler: @escaping @Sendable (In, Context) throws -> Out
  ) -> Route {
    var operation = operation
    operation.answers = Out.answers
    operation.input = method == .get ? .query(In.self) : .json(In.self)
    return api(method, path, access, operation, options, bodyLimit: bodyLimit) {
      context in
      let input =
        try method == .get ? In.read(query: context.request.query) : In.read(body: context.jsonBody)
      return try handler(input, context).response()
    }
  }

  /// A call that takes a form with files (`multipart/form-data`).
  public static func api<Out: APIResponse>(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    form parts: [Operation.Part], options: Options = [], bodyLimit: Int,
    files: MultipartLimits = .pictures,
    handler: @escaping @Sendable (Form, Context) throws -> Out
  ) -> Route {
    var operation = operation
    operation.answers = Out.answers
    operation.input = .form(parts)
    return api(method, path, access, operation, options, bodyLimit: bodyLimit, files: files) {
      try handler($0.form, $0).response()
    }
  }

  /// A call whose response is not (always) a record: a picture, a table, 304.
  public static func api(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    query: (any JSONRequest.Type)? = nil, answers: [Operation.SuccessResponse],
    options: Options = [],
    handler: @escaping Handler
  ) -> Route {
    var operation = operation
    operation.answers = answers
    if let query { operation.input = .query(query) }
    return api(method, path, access, operation, options, bodyLimit: 1 << 20, handler)
  }

  private static func api(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    _ options: Options, bodyLimit: Int, files: MultipartLimits = .pictures,
    _ handler: @escaping Handler
  ) -> Route {
    Route(
      method, apiBase + path, access, options: options, bodyLimit: bodyLimit, files: files,
      operation: operation, handler: handler)
  }
}
