import Core
import Database

/// What must always hold of what is to be told on streams.
public struct LiveDoctor: Sendable {
  /// What nobody who runs takes for longer than it is of use: an instance may have been stopped for a
  /// night with something on its way, in s.
  private static let grace: Int64 = .days(1)

  private let clock: any Clock

  public init(clock: any Clock) {
    self.clock = clock
  }

  public var checks: [DoctorCheck] { [nothingIsStuck] }

  /// A row that nobody can be told of, or that nobody wants to hear any more: whoever tells drops it,
  /// and nobody has for long.
  private var nothingIsStuck: DoctorCheck {
    DoctorCheck(
      "no live event waits that nobody will take",
      find: { try stuck(in: $0).map { "\($0.channel) waits" } },
      repairInSteps: { database in
        let all = try database.read { try stuck(in: $0) }
        try database.writeInBatches(all) { row, writer in
          try writer.execute(
            "DELETE FROM live_news WHERE channel = ? AND mark = ?", row.channel, row.mark)
        }
      })
  }

  private func stuck(in reader: ReadTransaction) throws -> [(channel: String, mark: [UInt8])] {
    let oldest = ID<LiveOutbox.Entry>(
      now: clock.now().adding(seconds: -LiveOutbox.oldest - Self.grace))
    return try reader.rows("SELECT channel, mark, mark < ? FROM live_news", oldest) {
      (channel: $0.text(0), mark: $0.bytes(1), isOld: $0.flag(2))
    }.filter { $0.isOld || LiveChannel($0.channel) == nil }.map { ($0.channel, $0.mark) }
  }
}
