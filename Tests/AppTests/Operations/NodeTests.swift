import Core
import Foundation
import PostgreSQLServer
import Secrets
import Testing

@testable import App

@Suite("What several nodes share")
struct NodeTests {
  @Test(
    "An address of Redis",
    arguments: [
      ("redis://cache", "redis://cache:6379/0", nil),
      ("redis://10.0.0.7:6380/2", "redis://10.0.0.7:6380/2", nil),
      ("redis://:a$b%40c@cache", "redis://cache:6379/0", "a$b@c"),
    ] as [(String, String, String?)])
  func redis(text: String, address: String, password: String?) throws {
    let server = try #require(RedisServer(text))
    #expect(server.address == address && server.password == password)
  }

  @Test(
    "An address that nginx can't use is refused",
    arguments: [
      "cache:6379", "rediss://cache", "redis://user:word@cache", "redis://:a\"b@cache",
      "redis://:a%22b@cache", "redis://:a%5Cb@cache", "redis://:a%0Ab@cache", "redis://:%ff@cache",
      "redis://cache:70000", "redis://cache;x", "redis://[::1]", "redis://",
    ])
  func unusable(text: String) {
    #expect(RedisServer(text) == nil)
  }

  private func problems(_ variables: [String: String]) -> [String] {
    let environment = ["PAIRSPOT_ENV": "development", "PAIRSPOT_DATA": "/nowhere"]
    do {
      _ = try Configuration(
        environment: environment.merging(variables) { $1 }, now: TestInstance.start, cores: 2)
      return []
    } catch {
      return "\(error)".split(separator: "\n").map(String.init)
    }
  }

  @Test("A wrong address of Redis is reported without the password in it")
  func redisProblem() {
    let found = problems(["PAIRSPOT_REDIS_URL": "redis://name:lantern@cache"])
    #expect(found.count == 1 && found[0].hasPrefix("PAIRSPOT_REDIS_URL: "))
    #expect(!found[0].contains("lantern"))
  }

  @Test("Secrets may be elsewhere only beside a database server")
  func secrets() throws {
    #expect(problems(["PAIRSPOT_SECRETS": "/mnt/secrets"]).count == 1)
    let configuration = try Configuration(
      environment: [
        "PAIRSPOT_ENV": "development", "PAIRSPOT_DATA": "/nowhere",
        "PAIRSPOT_DATABASE_URL": "postgresql://db/pairspot", "PAIRSPOT_SECRETS": "/mnt/secrets",
      ], now: TestInstance.start, cores: 2)
    #expect(configuration.secretsFolder == "/mnt/secrets")
    #expect(configuration.withData("/copy").secretsFolder == "/copy/secrets")
  }

  @Test(
    "With plain http the names of cookies have the port of the base URL, on whichever a node listens",
    arguments: [
      ("http://pairspot.test", 80), ("http://127.0.0.1:9000", 9000), ("http://[::1]:9000", 9000),
      ("http://[::1]", 80),
    ])
  func publicPort(baseURL: String, port: Int) throws {
    let configuration = try Configuration(
      environment: [
        "PAIRSPOT_ENV": "development", "PAIRSPOT_DATA": "/nowhere", "PAIRSPOT_PORT": "8123",
        "PAIRSPOT_BASE_URL": baseURL,
      ], now: TestInstance.start, cores: 2)
    #expect(configuration.publicPort == port)
  }

  @Test(
    "A node with keys of its own is refused by a database that another node has begun",
    arguments: TestEngine.allCases)
  func otherKeys(engine: TestEngine) throws {
    let folders = (1...2).map { _ in
      FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())").path
    }
    defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
    let rings = try folders.map { try KeyRing.loadOrMake(in: $0) }
    let database = try engine.database(KeyRotation.migrations)
    for ring in rings { try KeyRotation.recordFirst(ring, database) }
    let first = try KeyRotation.reconcile(rings[0], database, in: folders[0])
    #expect(first.current == rings[0].current)
    #expect(throws: KeyRotation.Refused.self) {
      try KeyRotation.reconcile(rings[1], database, in: folders[1])
    }
  }

  @Test("A silent Redis is asked once in five seconds, however often the health check is called")
  func silentRedis() throws {
    let asked = PThreadLocked(0)
    let health = RedisHealth(isConfigured: true) {
      asked.withLock { $0 += 1 }
      return false
    }
    let check = try #require(health.healthChecks.first)
    for seconds: Int64 in [0, 1, 4, 5] {
      #expect(try check.problem(TestInstance.start.adding(seconds: seconds)) != nil)
    }
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("Without nginx the health check of Redis fails, and the doctor says nothing")
  func redisHealth() throws {
    let instance = try TestInstance(variables: ["PAIRSPOT_REDIS_URL": "redis://127.0.0.1:1"])
    try instance.live()
    #expect(try instance.unwell() == ["redis": "the check failed: see the log"])
    let check = try #require(
      instance.instance.doctorChecks.first { $0.name == "nginx reaches Redis" })
    #expect(try check.find(instance.database) == [])
  }
}
