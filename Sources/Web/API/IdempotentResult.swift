/// What a call with an `Idempotency-Key` made, kept in the very transaction that makes it: whoever
/// repeats the call gets an answer though the process died before it had one (docs/api/README.md).
///
/// A handler says by `Context.answering` or `Context.making` how the answer follows from what its
/// transaction gives back. What it doesn't say so of is answered 409 in that case, and never done
/// twice.
///
/// It belongs to one request, and so to one thread.
final class IdempotentResult: @unchecked Sendable {
  /// What is kept of a call.
  enum Stored {
    /// The answer itself.
    case answer(Response)
    /// What was made, by which the handler answers again without making it.
    case made(String)
  }

  @TaskLocal static var current: IdempotentResult?

  /// What the first attempt made, when this is a repeat of a call that died before its answer.
  let made: String?
  private var keeping: ((Any) throws -> Stored?)?

  init(made: String? = nil) {
    self.made = made
  }

  /// What to keep of a transaction that gives this back; nil when it isn't the one that matters.
  func kept(of result: Any) throws -> Stored? { try keeping?(result) }

  /// Does some work of which something is kept.
  static func whileKeeping<Result>(
    _ keep: @escaping (Any) throws -> Stored?, _ work: () throws -> Result
  ) rethrows -> Result {
    current?.keeping = keep
    defer { current?.keeping = nil }
    return try work()
  }
}

extension Context {
  /// Does what a call is for, and answers it. `work` has one transaction that gives a `Made` back;
  /// `answer` makes the answer of that alone, without a look into the database.
  public func answering<Made, SuccessResponse: APIResponse>(
    _ work: () throws -> Made, _ answer: @escaping (Made) throws -> SuccessResponse
  ) throws -> SuccessResponse {
    let made = try IdempotentResult.whileKeeping(
      { result in try (result as? Made).map { .answer(try answer($0).response()) } }, work)
    return try answer(made)
  }

  /// Does what a call is for, or answers what it made at its first attempt, whose answer got lost.
  /// `work` has one transaction that gives a `Result` back; `name` names what was made in a text,
  /// which `read` understands.
  public func making<Result, Made>(
    _ work: () throws -> Made, name: @escaping (Result) -> String?, read: (String) -> Made?
  ) throws -> Made {
    if let text = IdempotentResult.current?.made {
      guard let made = read(text) else { throw Problem(.conflict) }
      return made
    }
    return try IdempotentResult.whileKeeping(
      { result in (result as? Result).flatMap(name).map { .made($0) } }, work)
  }
}
