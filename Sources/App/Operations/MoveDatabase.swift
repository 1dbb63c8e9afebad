import Backup
import Core
import Database
import Foundation
import Glibc

/// `pairspot move-database`: copies the database of a stopped instance into an empty one, of either
/// engine (docs/operator/postgresql.md#move). Media and keys stay where they are.
public struct MoveDatabase: Sendable {
  /// The reason why nothing was moved, in one line.
  public struct Refused: Error, CustomStringConvertible {
    public let description: String
  }

  /// The number of digits of a hash that are printed.
  private static let digits = 16

  private let configuration: Configuration
  private let user: uid_t

  /// `user` is the current one, unless a test sets it.
  public init(_ configuration: Configuration, user: uid_t = geteuid()) {
    self.configuration = configuration
    self.user = user
  }

  private var source: Configuration.DatabasePlace { configuration.database }

  /// Copies all tables to `sqlite:PATH` or a connection URI, and compares them. `printLine` prints
  /// a line for the operator. The source is not changed. Throws `Refused` and other errors with a
  /// message for the operator.
  public func run(to target: String, printLine: (String) -> Void) throws {
    guard let place = Configuration.DatabasePlace(target) else {
      throw Refused(description: "the target must be postgresql://… or sqlite:PATH")
    }
    guard place != source else { throw Refused(description: "the target is the database in use") }
    guard source.mayExist else {
      throw Refused(description: "no database in \(configuration.data)")
    }
    let commands = BackupCommands(configuration, user: user)
    try commands.refuseOtherUser()
    try commands.refuseRunning(for: "move")
    let lock = try DataLock.alone(configuration.data, for: "move")
    defer { withExtendedLifetime(lock) {} }
    if source.address != nil, try source.open().otherConnections() > 0 {
      throw Refused(description: "PairSpot is running on another machine: stop it before the move")
    }
    let shown = try place.shown()
    printLine("copying \(try source.shown()) to \(shown)")
    let tables = try source.inspect { reader in
      try check(reader)
      return try copy(reader, to: place)
    }
    for line in Self.lines(tables) { printLine(line) }
    let different = tables.filter { !$0.isEqual }
    guard different.isEmpty else { throw Self.failure(different.count, place, shown) }
    printLine("all \(tables.count) tables are equal; the database in use was not changed")
  }

  private func copy(
    _ reader: ReadTransaction, to place: Configuration.DatabasePlace
  ) throws -> [DatabaseMove.CopiedTable] {
    let move = DatabaseMove(from: reader, migrations: Migrations.all)
    switch place {
    case .sqlite(let path): return try move.fill(file: path)
    case .postgresql(let address): return try move.fill(server: address)
    }
  }

  /// Checks that the source has the schema of this program.
  private func check(_ reader: ReadTransaction) throws {
    let (applied, known) = (try reader.appliedMigrations(), Migrations.all.map(\.name))
    guard !applied.isEmpty else {
      throw Refused(description: "the source is not a PairSpot database")
    }
    if let unknown = applied.first(where: { !known.contains($0) }) {
      throw Refused(
        description: "the database is from a newer PairSpot (“\(unknown)”): move it with that "
          + "version")
    }
    guard Set(known).isSubset(of: applied) else {
      throw Refused(
        description: "the database is from an older PairSpot: run pairspot migrate before the move")
    }
  }

  // MARK: Report

  private static func failure(
    _ count: Int, _ place: Configuration.DatabasePlace, _ shown: String
  ) -> Refused {
    let copy = place.address == nil ? DatabaseMove.unfinished(shown) : shown
    return Refused(
      description: "\(count) tables of the copy differ: go on with the database in use, which was "
        + "not changed. The copy cannot be used; it is left for inspection: \(copy)")
  }

  /// A table with the numbers of rows and the beginnings of the hashes.
  private static func lines(_ tables: [DatabaseMove.CopiedTable]) -> [String] {
    let width = (tables.map(\.name.utf8.count).max() ?? 0) + 2
    let head = line("table", width, "rows", "SHA-256", "")
    return [head]
      + tables.map { table in
        let note =
          table.isEqual
          ? "equal" : "DIFFERENT: \(table.target.rowCount) rows, \(hash(table.target))"
        return line(table.name, width, "\(table.source.rowCount)", hash(table.source), note)
      }
  }

  private static func line(
    _ name: String, _ width: Int, _ rows: String, _ hash: String, _ note: String
  ) -> String {
    let columns = [(name, width), (rows, 12), (hash, digits + 2)].map { text, width in
      text.padding(toLength: width, withPad: " ", startingAt: 0)
    }
    return (columns.joined() + note).trimmingCharacters(in: .whitespaces)
  }

  private static func hash(_ digest: TableDigest) -> String {
    String(Hex.text(digest.sha256).prefix(digits))
  }
}
