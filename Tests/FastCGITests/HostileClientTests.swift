import FastCGI
import Foundation
import Synchronization
import Testing

@Suite struct HostileClientTests {
  private static let opening = FastCGIClient.opening([("CONTENT_LENGTH", "100")])

  @Test("A client that disconnects in the middle of the body harms no other")
  func goesAway() throws {
    let failure = Mutex<FastCGIError?>(nil)
    let seen = DispatchSemaphore(value: 0)
    let running = try RunningServer(threads: 1) { exchange in
      do {
        let body = try RunningServer.readAll(exchange)
        try exchange.write(body)
      } catch {
        failure.withLock { $0 = error as? FastCGIError }
        seen.signal()
      }
    }
    do {
      let client = try FastCGIClient(running.path)
      // Enough for the handler to begin before the end is received.
      client.send(FastCGIClient.opening([("CONTENT_LENGTH", "900000")]))
      client.send(FastCGIClient.record(5, [UInt8](repeating: 1, count: 50_000)))
    }
    #expect(seen.wait(timeout: .now() + 10) == .success)
    #expect(failure.withLock { $0 } == .clientGone)
    let answer = try FastCGIClient(running.path).exchange(
      [("CONTENT_LENGTH", "2")], body: Array("ok".utf8))
    #expect(answer.text == "ok")
  }

  @Test("A body longer than its CONTENT_LENGTH is cut there")
  func longerBody() throws {
    let running = try RunningServer(RunningServer.echo)
    let answer = try FastCGIClient(running.path).exchange(
      [("CONTENT_LENGTH", "4")], body: Array("goodevil".utf8))
    #expect(answer.text.hasSuffix(" good"))
    #expect(answer.isComplete)
  }

  @Test("A body shorter than its CONTENT_LENGTH is an error for the handler")
  func shorterBody() throws {
    let running = try RunningServer(RunningServer.echo)
    let answer = try FastCGIClient(running.path).exchange(
      [("CONTENT_LENGTH", "9")], body: Array("good".utf8))
    #expect(answer.text.hasSuffix(" broken"))
  }

  @Test("A negative CONTENT_LENGTH reads nothing")
  func negativeLength() throws {
    let running = try RunningServer(RunningServer.echo)
    let answer = try FastCGIClient(running.path).exchange(
      [("CONTENT_LENGTH", "-1")], body: Array("good".utf8))
    #expect(answer.text.hasSuffix("- - "))
  }

  @Test("An unread body doesn't corrupt the answer")
  func unreadBody() throws {
    let running = try RunningServer { try? $0.write(Array("early".utf8)) }
    let answer = try FastCGIClient(running.path).exchange(
      [("CONTENT_LENGTH", "100000")], body: [UInt8](repeating: 1, count: 100_000))
    #expect(answer.text == "early")
  }

  @Test("Requests that could confuse libfcgi are refused, and the next one is answered")
  func malformedStreams() throws {
    let running = try RunningServer(threads: 1, RunningServer.echo)
    for (name, bytes) in Self.streams {
      let client = try FastCGIClient(running.path)
      client.send(bytes)
      shutdown(client.descriptor, Int32(SHUT_WR))
      let answer = client.receive()
      #expect(!answer.isComplete || answer.text.contains("broken"), "\(name)")
    }
    #expect(try FastCGIClient(running.path).exchange([("HTTP_HOST", "x")]).isComplete)
  }

  private static var streams: [(String, [UInt8])] {
    let huge: [UInt8] = [0xff, 0xff, 0xff, 0xfe]
    let parameters = { (content: [UInt8]) in
      FastCGIClient.begin + FastCGIClient.record(4, content) + FastCGIClient.record(4, [])
        + FastCGIClient.record(5, [])
    }
    let question =
      FastCGIClient.pair("FCGI_MAX_CONNS", "") + FastCGIClient.pair("FCGI_MAX_REQS", "")
    let questions = FastCGIClient.record(9, id: 0, (0..<20).flatMap { _ in question })
    return [
      ("nothing", []),
      ("garbage", [UInt8](repeating: 0x41, count: 1000)),
      ("half a header", Array(FastCGIClient.begin.prefix(5))),
      ("half an opening", Array(opening.prefix(opening.count - 10))),
      ("another version", [2] + opening.dropFirst()),
      ("another role", FastCGIClient.record(1, [0, 2, 0, 0, 0, 0, 0, 0])),
      ("request id 0", FastCGIClient.record(1, id: 0, [0, 1, 0, 0, 0, 0, 0, 0])),
      ("a short begin record", FastCGIClient.record(1, [0, 1])),
      ("two begin records", FastCGIClient.begin + opening),
      ("parameters of somebody else", FastCGIClient.begin + FastCGIClient.record(4, id: 2, [])),
      ("lengths whose sum overflows", parameters(huge + huge + [1, 2, 3])),
      ("a length of half a gigabyte", parameters([0xa0, 0, 0, 0, 0, 1, 2, 3])),
      ("a pair cut short", parameters([5, 5, 1, 2, 3])),
      ("a length cut short", parameters([0x80, 0])),
      (
        "endless parameters",
        FastCGIClient.begin
          + FastCGIClient.record(4, [UInt8](repeating: 0, count: 60_000))
          + FastCGIClient.record(4, [UInt8](repeating: 0, count: 60_000))
      ),
      ("questions before the request", questions + opening),
      ("questions among the parameters", FastCGIClient.begin + questions),
      ("questions in the body", opening + questions + FastCGIClient.record(5, [])),
      ("an abort", opening + FastCGIClient.record(2, [])),
      ("a body without end", opening + FastCGIClient.record(5, [1, 2, 3])),
    ]
  }
}
