/// The result of a call with an `Idempotency-Key`, stored in the transaction that creates it. So a
/// repeated call gets a response even if the process died before the first one
/// (docs/api/README.md).
///
/// A handler declares with `Context.answering` or `Context.making` how the response follows from
/// the result of its transaction. Without that, a repeat after such a crash is answered with 409
/// and never executed twice.
///
/// An instance belongs to one request, and so to one thread.
final class IdempotentResult: @unchecked Sendable {
  /// The stored part of a call.
  enum Stored {
    /// The response itself.
    case answer(Response)
    /// The created thing, from which the handler answers without creating it again.
    case existing(String)
  }

  @TaskLocal static var current: IdempotentResult?

  /// The result of the first attempt if this is a repeat of a call that died before its response.
  let existing: String?
  private var keeping: ((Any) throws -> Stored?)?

  init(existing: String? = nil) {
    self.existing = existing
  }

  /// The part to store of a transaction with this result; nil for other transactions of the call.
  func kept(of result: Any) throws -> Stored? { try keeping?(result) }

  /// Runs `work` and stores part of its result.
  static func storingResult<Result>(
    _ keep: @escaping (Any) throws -> Stored?, _ work: () throws -> Result
  ) rethrows -> Result {
    current?.keeping = keep
    defer { current?.keeping = nil }
    return try work()
  }
}

extension Context {
  /// Executes a call and answers it. `work` has one transaction that returns a `Made`; `answer`
  /// makes the response of that alone, without reading the database.
  public func answering<Made, SuccessResponse: APIResponse>(
    _ work: () throws -> Made, _ answer: @escaping (Made) throws -> SuccessResponse
  ) throws -> SuccessResponse {
    let existing = try IdempotentResult.storingResult(
      { result in try (result as? Made).map { .answer(try answer($0).response()) } }, work)
    return try answer(existing)
  }

  /// Executes a call, or returns the result of its first attempt, whose response was lost. `work`
  /// has one transaction that returns a `Result`; `name` identifies the result in a text that
  /// `read` parses.
  public func making<Result, Made>(
    _ work: () throws -> Made, name: @escaping (Result) -> String?, read: (String) -> Made?
  ) throws -> Made {
    if let text = IdempotentResult.current?.existing {
      guard let existing = read(text) else { throw Problem(.conflict) }
      return existing
    }
    return try IdempotentResult.storingResult(
      { result in (result as? Result).flatMap(name).map { .existing($0) } }, work)
  }
}
