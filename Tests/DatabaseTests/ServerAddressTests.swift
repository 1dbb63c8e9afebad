import Database
import Testing

@Suite("Addresses of servers")
struct ServerAddressTests {
  private static let text =
    "postgresql://ann:s%40cret@db1:5433,db2:5434/pairspot?sslmode=verify-full"

  @Test("Programs get each part by the environment, and connect to the server that takes writes")
  func environment() throws {
    let environment = try ServerAddress(Self.text).environment
    #expect(
      environment == [
        "PGHOST": "db1,db2", "PGPORT": "5433,5434", "PGUSER": "ann", "PGPASSWORD": "s@cret",
        "PGDATABASE": "pairspot", "PGSSLMODE": "verify-full", "PGCONNECT_TIMEOUT": "5",
        "PGTARGETSESSIONATTRS": "read-write",
      ])
  }

  @Test("Another database of the same server has the same other parts")
  func otherDatabase() throws {
    let address = try ServerAddress(Self.text)
    let other = try ServerAddress(address.address(ofDatabase: "other & more"))
    #expect(other.database == "other & more")
    #expect(
      other.environment == address.environment.merging(["PGDATABASE": "other & more"]) { $1 })
  }

  @Test("The description has no password, and a wrong address is not repeated")
  func description() throws {
    let address = try ServerAddress(Self.text)
    #expect(address.description == "the database pairspot on db1,db2")
    for wrong in [
      "postgresql://ann:s%4xcret@db1/pairspot", "postgresql://ann:secret@[db1/pairspot",
    ] {
      let parsing = #expect(throws: StorageError.self) { try ServerAddress(wrong) }
      let connecting = #expect(throws: StorageError.self) { try Database(server: wrong) }
      #expect(parsing?.description.contains("cret") == false)
      #expect(connecting?.description.contains("cret") == false)
    }
  }
}
