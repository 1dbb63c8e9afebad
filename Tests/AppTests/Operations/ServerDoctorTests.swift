import Database
import PostgreSQLServer
import Testing

@testable import App

@Suite("Doctor and keys of an instance with a PostgreSQL server")
struct ServerDoctorTests {
  private let address: String
  private let instance: TestInstance

  init() throws {
    address = try PostgreSQLServer.shared.newDatabase()
    instance = try TestInstance(variables: ["PAIRSPOT_DATABASE_URL": address])
  }

  @Test("The doctor finds nothing, and notes the server's version and unsafe settings")
  func healthy() throws {
    try instance.couple()
    var said: [String] = []
    let isHealthy = try instance.look(repair: false) { said.append($0) }
    #expect(isHealthy, "\(said)")
    #expect(said.contains { $0.hasPrefix("note: PostgreSQL ") })
    // The server of the tests syncs nothing.
    #expect(said.contains { $0.hasPrefix("note: fsync is off") })
    #expect(said.contains("note: the role is a superuser: it needs only its database"))
    #expect(said.allSatisfy { $0.hasPrefix("note: ") }, "\(said)")
  }

  @Test("Too few connections, another clock and another schema are findings")
  func findings() throws {
    let check = ServerCheck.check(connections: 100_000, machineTime: { 0 })
    let found = try check.find(instance.database)
    #expect(found.count == 2, "\(found)")
    #expect(found.first?.contains("of 100000 connections") == true)
    #expect(found.last?.contains("clock differs") == true)
    let other = try Database(server: address + "&options=-csearch_path%3Dpg_catalog")
    #expect(try check.find(other).contains { $0.contains("the schema pg_catalog") })
  }

  @Test("After keys were rotated, people sign in as before")
  func keys() throws {
    try instance.couple()
    #expect(try KeyRotation(instance.instance).run() > 0)
    let ann = TestClient(try instance.reopened().application)
    #expect(ann.signIn("ann@example.test", TestInstance.password).status == 303)
  }

  @Test(
    "Keys are not rotated while PairSpot is connected from elsewhere, by any name",
    arguments: ["", "&application_name=elsewhere"])
  func running(option: String) throws {
    let other = try Database(server: address + option)
    #expect(
      errorMessage { _ = try KeyRotation(instance.instance).run() }.contains("another machine"))
    withExtendedLifetime(other) {}
  }
}
