import Foundation
import Glibc
import PostgreSQL
import Synchronization

/// A PostgreSQL server of Debian's package in a temporary folder, with a socket there and no port.
/// It ends with the tests, and its folder is removed.
public final class PostgreSQLServer: Sendable {
  public struct Failed: Error, CustomStringConvertible {
    public let description: String
  }

  private static let started = Result { try PostgreSQLServer() }

  /// The server that tests share.
  public static var shared: PostgreSQLServer { get throws { try started.get() } }

  private let folder: String
  private let process = Process()
  private let lifeline: FileHandle
  private let databases = Atomic(0)
  /// The names of databases to be deleted.
  private let retired = Mutex<[Substring]>([])

  /// Starts a server of its own for a test that stops it.
  public init() throws {
    folder = "\(Self.place)/pairspot-postgresql-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", Self.program, "postgresql", folder]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    lifeline = input.fileHandleForWriting
    try process.run()
    try waitForLine(of: output)
  }

  /// Memory if there is enough: a database is a thousand small files.
  private static var place: String {
    var space = statvfs()
    guard statvfs("/dev/shm", &space) == 0,
      UInt64(space.f_bavail) * UInt64(space.f_frsize) > 4 << 30
    else { return "/tmp" }
    return "/dev/shm"
  }

  private func waitForLine(of output: Pipe) throws {
    var line = Data()
    while !line.contains(0x0A) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else {
        throw Failed(
          description: "PostgreSQL did not start (deploy/scripts/packages.sh test installs it): "
            + String(decoding: line, as: UTF8.self))
      }
      line += more
    }
    guard line == Data("ready\n".utf8) else {
      throw Failed(description: String(decoding: line, as: UTF8.self))
    }
  }

  /// The address of a new database: an empty one, or a copy of the one at an address, which must
  /// have no connections.
  public func newDatabase(copyOf original: String? = nil) throws -> String {
    try dropRetired()
    let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
    let template = original.map { " TEMPLATE \(databaseName(in: $0)) STRATEGY FILE_COPY" } ?? ""
    try administer("CREATE DATABASE \(name)\(template)")
    return address(name)
  }

  /// Deletes the database at an address as soon as its last connection is closed.
  public func retire(_ address: String) {
    retired.withLock { $0.append(databaseName(in: address)) }
  }

  private func dropRetired() throws {
    let names = retired.withLock { names in
      defer { names = [] }
      return names
    }
    for name in names where (try? administer("DROP DATABASE \(name)")) == nil {
      retired.withLock { $0.append(name) }
    }
  }

  private func administer(_ statement: String) throws {
    try PostgreSQLConnection(address("postgres"), defaults: []).run(statement)
  }

  private func databaseName(in address: String) -> Substring {
    address.prefix { $0 != "?" }.split(separator: "/").last ?? ""
  }

  public func address(_ database: String) -> String {
    "postgresql://tests@/\(database)?host=\(folder)"
  }

  /// Restarts the server: all connections are lost.
  public func restart() throws {
    try command("pg_ctl", "-D", "\(folder)/data", "-w", "-m", "fast", "restart")
  }

  public func stop() throws {
    try command("pg_ctl", "-D", "\(folder)/data", "-w", "-m", "fast", "stop")
  }

  public func start() throws {
    try command("pg_ctl", "-D", "\(folder)/data", "-w", "start")
  }

  /// Runs one of PostgreSQL's programs as the user of the server.
  private func command(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments =
      ["-c", Self.user + #"run "$bin/$1" "${@:2}" </dev/null >>"$PGHOST/log" 2>&1"#, "postgresql"]
      + arguments
    process.environment = ["PGHOST": folder, "PGUSER": "tests", "PATH": "/usr/bin:/bin"]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let log = try String(contentsOfFile: "\(folder)/log", encoding: .utf8)
      throw Failed(description: "\(arguments): \(log.suffix(1000))")
    }
  }

  /// The newest version, and the user that runs it: it refuses root.
  private static let user = #"""
    set -euo pipefail
    bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    as_user=()
    ((EUID)) || as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    # A server must not keep open files of the tests, which wait for their end.
    run() (
      for file in /proc/self/fd/*; do
        [[ ${file##*/} -le 2 ]] || eval "exec ${file##*/}>&-"
      done
      exec "${as_user[@]}" "$@"
    )

    """#

  /// Makes a data folder, starts the server, says "ready", and stops it when its input ends.
  private static let program =
    user + #"""
      cd "$1"
      ((EUID)) || chown nobody:nogroup .
      run "$bin/initdb" -D data -U tests -A trust -E UTF8 --locale=C.UTF-8 -N >log 2>&1
      run tee -a data/postgresql.conf >/dev/null <<END
      listen_addresses = ''
      unix_socket_directories = '$1'
      logging_collector = on
      max_connections = 300
      # Those of all databases, while any transaction of any of them lasts.
      max_pred_locks_per_transaction = 1024
      shared_buffers = 32MB
      # No test turns the machine off.
      fsync = off
      full_page_writes = off
      wal_level = minimal
      max_wal_senders = 0
      # It counts no row of a transaction that goes on, and takes a table for empty.
      autovacuum = off
      END
      run "$bin/pg_ctl" -D "$1/data" -w start >>log 2>&1 </dev/null || { cat log >&2; exit 1; }
      echo ready
      cat >/dev/null
      run "$bin/pg_ctl" -D "$1/data" -w -m immediate stop >>log 2>&1 || true
      cd /
      rm -rf "$1"
      """#
}
