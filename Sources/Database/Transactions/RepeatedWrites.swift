#if DEBUG
  import Glibc

  /// Runs each body of `Database.write` twice, as after a conflict on PostgreSQL; the changes of the
  /// first run are undone. So the tests show that no body has an effect outside of its transaction
  /// (docs/developer/tests.md#each-write-twice). Not in release builds.
  enum RepeatedWrites {
    /// Whether they are on: by the variable `TEST_REPEAT_WRITES`.
    @TaskLocal static var areOn: Bool = getenv("TEST_REPEAT_WRITES") != nil

    fileprivate struct Undone: Error {}
  }

  extension Database {
    /// The first run of a body. Whatever it throws, the second one throws too.
    func rehearse<Result>(_ body: (WriteTransaction) throws -> Result) {
      guard RepeatedWrites.areOn else { return }
      switch engine {
      case .sqlite(let engine): try? engine.write { try rehearse(body, in: $0) }
      case .postgresql(let engine): try? engine.write { try rehearse(body, in: $0) }
      }
    }

    private func rehearse<Result>(
      _ body: (WriteTransaction) throws -> Result, in writer: WriteTransaction
    ) throws {
      // Statements are logged, and counted, once.
      let silent = WriteTransaction(writer.session, log: nil)
      let result = try body(silent)
      try TransactionHook.step?.run(silent, result)
      throw RepeatedWrites.Undone()
    }
  }
#endif
