import Core
import Database
import Foundation
import Processes
import Secrets

/// A database of a PostgreSQL server as a backup needs it: `pg_dump` and `pg_restore` write and read
/// its file (docs/operator/postgresql.md#back-up-and-restore).
struct DatabaseServer {
  /// The time in s that a program may take.
  private static let timeout: Double = 86_400
  /// The folder of PostgreSQL's programs: Debian's choose the version of the server.
  private static let programs = "/usr/bin"
  private static let drillPrefix = "pairspot_drill_"

  let address: String
  private let parts: ServerAddress

  /// Throws `BackupError`.
  init(_ address: String) throws {
    self.address = address
    do {
      parts = try ServerAddress(address)
    } catch {
      throw BackupError("\(error)")
    }
  }

  /// Dumps the database into a new file, and calls `body` with the same snapshot. Throws
  /// `BackupError` and `StorageError`.
  func dump<Result>(to file: String, _ body: (ReadTransaction) throws -> Result) throws -> Result {
    try Database.inspect(server: address) { reader in
      let snapshot = try reader.exportedSnapshot()
      try run(
        "pg_dump",
        [
          "--format=custom", "--no-owner", "--no-privileges", "--schema=public", "--no-password",
          "--snapshot=\(snapshot)", "--file=\(file)",
        ])
      return try body(reader)
    }
  }

  /// Restores a dump into a database without its tables, all or nothing. Throws `BackupError`.
  func restore(_ dump: String) throws {
    try run(
      "pg_restore",
      [
        "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
        // Its contents, not the schema itself, which every database has.
        "--schema=public", "--no-password",
        "--dbname=\(parts.database ?? "")", dump,
      ])
  }

  private func run(_ name: String, _ arguments: [String]) throws {
    let program = "\(Self.programs)/\(name)"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw BackupError("\(program) is missing: install the package postgresql-client")
    }
    let own = ProcessInfo.processInfo.environment.filter {
      ["PATH", "HOME"].contains($0.key) || $0.key.hasPrefix("PG")
    }
    // It ends with this process.
    let result = try ChildProcess.run(
      "/usr/bin/setpriv", ["--pdeathsig", "TERM", program] + arguments,
      environment: own.merging(parts.environment) { $1 }.merging(["LC_ALL": "C.UTF-8"]) { $1 },
      timeout: Self.timeout)
    guard result.status == 0, !result.timedOut else {
      let lines = String(decoding: result.errors, as: UTF8.self).split(whereSeparator: \.isNewline)
      let reason = lines.first.map { String($0).asOneLine } ?? "status \(result.status)"
      throw BackupError("\(name) failed: \(reason)")
    }
  }

  // MARK: Drills

  /// The name of the database of a drill. Its end stands for the database in use: several instances
  /// on one server may have drills in the same second.
  func drillDatabase(_ name: BackupName) -> String {
    let own = parts.database ?? parts.environment["PGUSER"] ?? ""
    let end = Hex.text(Digests.sha256(Array(own.utf8)).prefix(4))
    return "\(Self.drillPrefix)\(name.text.lowercased())_\(end)"
  }

  /// Whether the role may create the database of a drill. Throws `StorageError`.
  func mayDrill() throws -> Bool {
    try Database.inspect(server: address) { try $0.mayCreateDatabases() }
  }

  /// Creates the database of a drill; returns its address. Throws `StorageError`.
  func createDrillDatabase(_ name: BackupName) throws -> String {
    let database = drillDatabase(name)
    try Database.create(database, onServerOf: address)
    return parts.address(ofDatabase: database)
  }

  /// Removes it, if it exists. Throws `StorageError`.
  func dropDrillDatabase(_ name: BackupName) throws {
    try Database.drop(drillDatabase(name), onServerOf: address)
  }
}
