import PostgreSQL
import Testing

@testable import Database

@Suite("Errors of a PostgreSQL server")
struct PostgreSQLErrorTests {
  @Test(
    "A write that may succeed later is busy",
    arguments: ["40001", "40P01", "53200", "55P03", "57014"])
  func busy(state: String) {
    let error = PostgreSQLError(sqlState: state, message: "", isConnectionLost: false)
    guard case .busy = StorageError(error) else {
      Issue.record("\(StorageError(error))")
      return
    }
  }

  @Test(
    "A server that refuses connections or goes is unavailable",
    arguments: ["08006", "53300", "57P01"])
  func unavailable(state: String) {
    let error = PostgreSQLError(sqlState: state, message: "", isConnectionLost: false)
    guard case .unavailable = StorageError(error) else {
      Issue.record("\(StorageError(error))")
      return
    }
  }
}
