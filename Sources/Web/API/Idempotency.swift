import Core
import Database
import HTTPTypes
import Secrets

/// Executes a call with an `Idempotency-Key` once, however often it is sent (docs/api/README.md).
///
/// The key is claimed before the handler runs. Every transaction in which the handler changes
/// something also records that under the key. So neither a crash before the response is stored nor
/// a second attempt beside a slow first one can execute the call twice. Where the handler declares
/// it, the transaction also stores the response to a repeat after such a crash
/// (`IdempotentResult`). A call that failed releases its key.
struct Idempotency: Sendable {
  private let store: IdempotencyStore

  init(site: AppEnvironment) {
    store = IdempotencyStore(database: site.database, keys: site.keys)
  }

  func answer(
    _ sent: String, _ context: Context, by handler: () throws -> Response
  ) throws -> Response {
    guard 1...255 ~= sent.utf8.count, sent.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw Problem.invalid(["Idempotency-Key": FieldError("api.field_key")])
    }
    let key = IdempotencyStore.Key(
      person: try context.signedIn().id, hash: Digests.sha256(Array(sent.utf8)))
    switch try store.claim(key, request: hash(context), now: context.now) {
    case .answered(let response): return response
    case .running: throw Problem(.conflict, retryAfter: 1)
    case .otherCall, .lost: throw Problem(.conflict)
    case .existing(let existing): return try answerAgain(existing, handler)
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
      // A `Problem` means that nothing was changed. The outcome of any other error is unknown,
      // database failures included: a rolled-back change also rolled back its mark, a committed one
      // keeps it.
      release(key, holder, onlyUnchanged: !(error is Problem), context)
      throw error
    }
  }

  /// Answers a call whose process died after its change and before its response: the handler reads
  /// the stored result. It must not change anything.
  private func answerAgain(_ existing: String, _ handler: () throws -> Response) throws -> Response
  {
    let nothing = TransactionHook { _, _ in throw Problem(.conflict) }
    return try IdempotentResult.$current.withValue(IdempotentResult(existing: existing)) {
      try TransactionHook.$step.withValue(nothing) { try handler() }
    }
  }

  /// Stores the response. The change is committed, so a failure here is only logged.
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
      // The key is released when its lease ends.
      context.noteError("an idempotency key could not be freed: \(error)")
    }
  }

  /// Identifies a call: a hash of its address and its content.
  private func hash(_ context: Context) throws -> [UInt8] {
    var parts = ["\(context.request.method) \(context.request.path)?\(context.request.query)"]
    for (name, value) in context.form.fields { parts += [name, value] }
    for file in context.form.files {
      parts += [file.fieldName, file.tooLarge ? "" : Hex.text(try Digests.sha256(file: file.path))]
    }
    let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    return Digests.sha256(bytes + context.jsonBody)
  }
}
