import Core
import Database

/// The invariants of queued live events.
public struct LiveDoctor: Sendable {
  /// How long an event may be queued, in s: more than it is useful, since an instance may have been
  /// stopped overnight with events queued.
  private static let grace: Int64 = .days(1)

  private let clock: any Clock

  public init(clock: any Clock) {
    self.clock = clock
  }

  public var checks: [DoctorCheck] { [nothingIsStuck] }

  /// Finds rows that can't be sent, or are out of date: a running dispatcher would have dropped
  /// them.
  private var nothingIsStuck: DoctorCheck {
    DoctorCheck(
      "no live event is stuck",
      find: { try stuck(in: $0).map { "\($0.channel) is stuck" } },
      repairInSteps: { database in
        let all = try database.read { try stuck(in: $0) }
        try database.writeInBatches(all) { row, writer in
          try writer.execute(
            "DELETE FROM live_news WHERE channel = \(row.channel) AND mark = \(row.mark)")
        }
      })
  }

  private func stuck(in reader: ReadTransaction) throws -> [(channel: String, mark: [UInt8])] {
    let oldest = ID<LiveOutbox.Entry>(
      now: clock.now().adding(seconds: -LiveOutbox.oldest - Self.grace))
    return try reader.rows("SELECT channel, mark, mark < \(oldest) FROM live_news") {
      (
        channel: try $0.next(String.self), mark: try $0.next([UInt8].self),
        isOld: try $0.next(Bool.self)
      )
    }.filter { $0.isOld || LiveChannel($0.channel) == nil }.map { ($0.channel, $0.mark) }
  }
}
