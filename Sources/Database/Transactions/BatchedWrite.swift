import Glibc

/// Changes of many rows while others write too: short transactions with a pause in which other
/// writers get the lock.
extension Database {
  /// The number of rows in a transaction, where the unit is rows.
  public static let step = 200
  /// The pause in µs. A waiting connection retries after 100 ms at most, for 5 s in all.
  private static let pause: UInt32 = 20_000

  /// Calls `body` for each item, `step` of them in a transaction.
  public func writeInBatches<Item>(
    _ items: [Item], step: Int = Database.step, _ body: (Item, WriteTransaction) throws -> Void
  ) throws {
    var rest = items[...]
    while !rest.isEmpty {
      let some = rest.prefix(step)
      try write { writer in
        for item in some { try body(item, writer) }
      }
      rest = rest.dropFirst(step)
      if !rest.isEmpty { usleep(Self.pause) }
    }
  }

  /// Repeats a step, each in a transaction, while it returns true. The step must not count or
  /// consume anything outside of its transaction, which may run again.
  public func writeInBatches(_ step: (WriteTransaction) throws -> Bool) throws {
    while try write(step) { usleep(Self.pause) }
  }
}
