import FastCGI
import Foundation
import Testing

/// `PAIRSPOT_FUZZ_ROUNDS` sets more rounds (`make fuzz`).
@Suite struct RecordFuzzTests {
  private let rounds =
    ProcessInfo.processInfo.environment["PAIRSPOT_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 400

  @Test("Random bytes and random damage to a good request leave the server standing")
  func damage() throws {
    let running = try RunningServer(threads: 2, RunningServer.echo)
    var random = SystemRandomNumberGenerator()
    let good =
      FastCGIClient.opening([("CONTENT_LENGTH", "100")])
      + FastCGIClient.record(5, [UInt8](repeating: 1, count: 100))
      + FastCGIClient.record(5, [])
    for round in 0..<rounds {
      var bytes = good
      if round % 4 == 0 { bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) } }
      for _ in 0..<(round % 3 + 1) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      let client = try FastCGIClient(running.path)
      client.send(Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random))))
    }
    #expect(try FastCGIClient(running.path).exchange([("HTTP_HOST", "x")]).isComplete)
  }
}
