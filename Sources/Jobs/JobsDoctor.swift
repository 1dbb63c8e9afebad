import Core
import Database

/// The invariants of the queue. A running worker restores them; this reports when none does.
public struct JobsDoctor: Sendable {
  private let kinds: [JobKind]
  private let clock: any Clock

  /// `kinds` is the whole timetable, and all other known kinds.
  public init(_ kinds: [JobKind], clock: any Clock) {
    self.kinds = kinds
    self.clock = clock
  }

  public var checks: [DoctorCheck] { [timetableIsThere, nothingIsPutOff] }

  private var recurring: [String] { kinds.filter(\.recurs).map(\.name) }

  /// The recurring jobs that are not queued any more. If no worker ever ran, none is missing: the
  /// first worker adds them all.
  private func missing(in reader: ReadTransaction) throws -> [String] {
    guard try JobStore.lastBeat(Worker.heartbeat, in: reader) != nil else { return [] }
    return try recurring.filter {
      try !JobStore.has($0, payload: "", uniqueKey: JobStore.key($0), in: reader)
    }
  }

  private var timetableIsThere: DoctorCheck {
    DoctorCheck(
      "every recurring job is queued",
      find: { try missing(in: $0).map { "\($0) is not queued" } },
      repair: { writer in
        for name in try missing(in: writer) {
          try JobStore.addReplacing(
            name, uniqueKey: JobStore.key(name), now: clock.now(), in: writer)
        }
      })
  }

  private var nothingIsPutOff: DoctorCheck {
    DoctorCheck(
      "no job is delayed too long",
      find: { reader in
        try JobStore.misscheduled(kinds, now: clock.now(), in: reader).map {
          "job \($0.id) is delayed too long"
        }
      },
      repairInSteps: { try JobStore(database: $0).correct(kinds, now: clock.now()) })
  }
}
