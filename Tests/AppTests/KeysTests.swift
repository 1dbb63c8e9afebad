import Foundation
import Testing

@testable import App

@Suite("Keys and database belong together")
struct KeysTests {
  @Test("A database without its keys is refused instead of given new ones")
  func missing() throws {
    let house = try TestHouse()
    let configuration = house.house.configuration
    let keys = "\(configuration.secretsFolder)/keys.json"
    try FileManager.default.removeItem(atPath: keys)
    #expect(throws: KeysMissing.self) { try House(configuration) }
    #expect(!FileManager.default.fileExists(atPath: keys))
  }
}
