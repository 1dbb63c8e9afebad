import Core
import Database

extension JobStore {
  /// Adds the recurring jobs that are not queued.
  func ensure(_ recurring: [String], now: Instant) throws {
    let missing = try missing(of: recurring)
    guard !missing.isEmpty else { return }
    try database.write { writer in
      for name in missing {
        try Self.add(name, uniqueKey: Self.key(name), runAt: now, now: now, in: writer)
      }
    }
  }

  /// Makes recurring jobs due at once, except those that are running.
  func makeDue(_ recurring: [String], now: Instant) throws {
    guard !recurring.isEmpty else { return }
    try database.write { writer in
      for name in recurring {
        try writer.execute(
          """
          UPDATE jobs SET run_at = \(now) WHERE unique_key = \(Self.key(name)) AND run_at > \(now)
            AND lease IS NULL
          """)
      }
    }
  }

  /// The unique key of a recurring job.
  static func key(_ recurring: String) -> String { "timetable:\(recurring)" }

  /// Makes jobs due that wait longer than their kind ever does: they were scheduled, or claimed,
  /// while the clock was ahead, and would otherwise wait until that moment.
  func correct(_ kinds: [JobKind], now: Instant) throws {
    let misscheduled = try database.read { try Self.misscheduled(kinds, now: now, in: $0) }
    try database.writeInBatches(misscheduled) { one, writer in
      // Unless another worker has corrected it in the meantime, and is running it.
      try writer.execute(
        """
        UPDATE jobs SET run_at = \(now), lease = NULL WHERE id = \(one.id)
          AND run_at > \(one.latest)
        """)
    }
  }

  /// The jobs that wait longer than their kind ever does, each with the latest allowed moment.
  static func misscheduled(
    _ kinds: [JobKind], now: Instant, in reader: ReadTransaction
  ) throws -> [(id: ID<Job>, latest: Instant)] {
    try kinds.flatMap { kind in
      let latest = now.adding(seconds: kind.maximumWait)
      let found =
        kind.recurs
        ? try reader.values(
          "SELECT id FROM jobs WHERE unique_key = \(key(kind.name)) AND run_at > \(latest)",
          as: ID<Job>.self)
        : try reader.values(
          "SELECT id FROM jobs WHERE run_at > \(latest) AND kind = \(kind.name)")
      return found.map { (id: $0, latest: latest) }
    }
  }

  private func missing(of names: [String]) throws -> [String] {
    try database.read { reader in
      try names.filter {
        try !reader.exists("SELECT 1 FROM jobs WHERE unique_key = \(Self.key($0))")
      }
    }
  }
}
