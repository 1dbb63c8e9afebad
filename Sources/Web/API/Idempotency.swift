import Core
import Database
import HTTPTypes
import Secrets

/// Does a call with an `Idempotency-Key` once, however often it is sent (docs/api/README.md).
///
/// The key is claimed before the handler runs. Every transaction in which the handler changes
/// something also notes so under the key, so that neither a crash before the answer is kept nor a
/// second attempt beside a slow first one can do it twice; and with it, where the handler says how,
/// what answers a repeat after such a crash (`IdempotentResult`). A call that failed frees its key.
struct Idempotency: Sendable {
  private let store: IdempotencyStore

  init(site: AppEnvironment) {
    store = IdempotencyStore(database: site.database, keys: site.keys)
  }

  func answer(
    _ sent: String, _ request: Request, _ context: Context, by handler: () throws -> Response
  ) throws -> Response {
    guard 1...255 ~= sent.utf8.count, sent.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw Problem.invalid(["Idempotency-Key": FieldError("api.field_key")])
    }
    let key = IdempotencyStore.Key(
      person: try context.signedIn().id, hash: Digests.sha256(Array(sent.utf8)))
    switch try store.claim(key, request: hash(request, context), now: context.now) {
    case .answered(let response): return response
    case .running: throw Problem(.conflict, retryAfter: 1)
    case .otherCall, .lost: throw Problem(.conflict)
    case .made(let made): return try answerAgain(made, handler)
    case .free(let holder): return try run(key, holder, context, handler)
    }
  }

  private func run(
    _ key: IdempotencyStore.Key, _ holder: [UInt8], _ context: Context,
    _ handler: () throws -> Response
  ) throws -> Response {
    let memory = IdempotentResult()
    let note = TransactionHook { [store] writer, result in
      try store.mark(key, holder: holder, try memory.kept(of: result), in: writer)
    }
    do {
      let response = try IdempotentResult.$current.withValue(memory) {
        try TransactionHook.$step.withValue(note) { try handler() }
      }
      if 200..<300 ~= response.status.code {
        keep(response, key, holder, context)
      } else {
        release(key, holder, onlyUnchanged: false, context)
      }
      return response
    } catch {
      // A refusal says that nothing was done. Of anything else nobody knows, the database's
      // failures included: what was undone took its mark with it, and what stands keeps it.
      release(key, holder, onlyUnchanged: !(error is Problem), context)
      throw error
    }
  }

  /// Answers a call whose process died when it had done everything and answered nothing: the
  /// handler reads what was made. It changes nothing more.
  private func answerAgain(_ made: String, _ handler: () throws -> Response) throws -> Response {
    let nothing = TransactionHook { _, _ in throw Problem(.conflict) }
    return try IdempotentResult.$current.withValue(IdempotentResult(made: made)) {
      try TransactionHook.$step.withValue(nothing) { try handler() }
    }
  }

  /// What was done is done: that its answer can't be kept changes nothing about it.
  private func keep(
    _ response: Response, _ key: IdempotencyStore.Key, _ holder: [UInt8], _ context: Context
  ) {
    do {
      try store.finish(key, holder: holder, response)
    } catch {
      context.noteError("an answer could not be kept: \(error)")
    }
  }

  private func release(
    _ key: IdempotencyStore.Key, _ holder: [UInt8], onlyUnchanged: Bool, _ context: Context
  ) {
    do {
      try store.release(key, holder: holder, onlyUnchanged: onlyUnchanged)
    } catch {
      // It ends with its lease.
      context.noteError("an idempotency key could not be freed: \(error)")
    }
  }

  /// What tells one call from another: its address, and what it brought.
  private func hash(_ request: Request, _ context: Context) throws -> [UInt8] {
    var parts = ["\(request.method) \(request.path)?\(request.query)"]
    for (name, value) in context.form.fields { parts += [name, value] }
    for file in context.form.files {
      parts += [file.fieldName, file.tooLarge ? "" : Hex.text(try Digests.sha256(file: file.path))]
    }
    let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    return Digests.sha256(bytes + context.jsonBody)
  }
}
