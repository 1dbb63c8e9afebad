import Glibc

/// Changes of many rows while others write too: in transactions of their own, each of which is over
/// in a moment, with a pause in which another's turn comes.
extension Database {
  /// How many rows one step changes, where it is a matter of rows.
  public static let step = 200
  /// Who waits for the lock looks again after 100 ms at most, and for 5 s in all.
  private static let pause: UInt32 = 20_000

  /// Changes one after the other, `step` of them in a transaction.
  public func writeInBatches<Item>(
    _ items: [Item], _ body: (Item, WriteTransaction) throws -> Void
  ) throws {
    var rest = items[...]
    while !rest.isEmpty {
      let some = rest.prefix(Self.step)
      try write { writer in
        for item in some { try body(item, writer) }
      }
      rest = rest.dropFirst(Self.step)
      if !rest.isEmpty { usleep(Self.pause) }
    }
  }

  /// Takes the same step again as long as it says that there is more to do.
  public func writeInBatches(_ step: (WriteTransaction) throws -> Bool) throws {
    while try write(step) { usleep(Self.pause) }
  }
}
