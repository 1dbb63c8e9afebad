import App
import ArgumentParser

/// `pairspot move-database`
struct MoveDatabaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move-database",
    abstract: "Copies the database to PostgreSQL or SQLite. Stop PairSpot first.",
    discussion: """
      Copies all tables of the database in use into an empty one, and compares the number of rows \
      and a hash of each table. The database in use is not changed. Afterwards set \
      PAIRSPOT_DATABASE_URL to the new one, or remove it for SQLite.

      If the command is interrupted, a PostgreSQL database is empty as before, and an SQLite file \
      has a name that ends in “.unfinished”; the next move replaces it.

      Other users of this machine can see a password in TARGET: put it into a password file, and \
      name that by PGPASSFILE or passfile=.
      """)

  @Argument(help: "postgresql://… (an empty database) or sqlite:PATH (a new file).")
  var target: String

  func run() throws {
    try MoveDatabase(Terminal.configuration()).run(to: target, printLine: Terminal.printLine)
  }
}
