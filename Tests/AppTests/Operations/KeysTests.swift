import Foundation
import Testing

@testable import App

@Suite("Keys and database belong together")
struct KeysTests {
  @Test("A database without its keys is refused instead of given new ones")
  func missing() throws {
    let instance = try TestInstance()
    let configuration = instance.instance.configuration
    let keys = "\(configuration.secretsFolder)/keys.json"
    try FileManager.default.removeItem(atPath: keys)
    #expect(throws: KeysMissing.self) { try Instance(configuration) }
    #expect(!FileManager.default.fileExists(atPath: keys))
  }
}
