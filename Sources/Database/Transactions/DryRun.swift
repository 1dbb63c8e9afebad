extension Database {
  /// Ends a transaction whose changes are not wanted.
  private struct Undone: Error {}

  /// Runs `body` like `write`; a dry run then undoes its changes. So a dry run fails where the
  /// change would, except for constraints that are checked at the commit.
  public func write<Result>(
    isDryRun: Bool, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    guard isDryRun else { return try write(body) }
    var made: Result?
    do {
      try write { writer -> Void in
        made = try body(writer)
        throw Undone()
      }
    } catch is Undone {}
    guard let made else { throw Undone() }
    return made
  }
}
