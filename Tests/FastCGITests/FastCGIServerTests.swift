import FastCGI
import Foundation
import Synchronization
import Testing

@Suite struct FastCGIServerTests {
  @Test("A request's parameters and body reach the handler, and its answer comes back")
  func echo() throws {
    let running = try RunningServer(RunningServer.echo)
    let answer = try FastCGIClient(running.path).exchange(
      [("REQUEST_METHOD", "POST"), ("HTTP_HOST", "pairspot.test"), ("CONTENT_LENGTH", "5")],
      body: Array("hello".utf8))
    #expect(answer.text == "Status: 200\r\n\r\nPOST pairspot.test hello")
    #expect(answer.isComplete)
  }

  @Test("Every parameter can be listed, with an empty value and with equals signs")
  func listing() throws {
    let running = try RunningServer { exchange in
      var lines: [String] = []
      exchange.forEachParameter { name, value in lines.append("\(name)|\(value)") }
      try? exchange.write(Array(lines.joined(separator: "\n").utf8))
    }
    let answer = try FastCGIClient(running.path).exchange([
      ("HTTP_COOKIE", "a=b=c"), ("QUERY_STRING", ""),
    ])
    #expect(answer.text.hasSuffix("HTTP_COOKIE|a=b=c\nQUERY_STRING|"))
  }

  @Test("A parameter that wasn't sent is nil, one that is another's beginning too")
  func absentParameter() throws {
    let running = try RunningServer { exchange in
      let isAbsent = exchange.parameter("HTTP") == nil && exchange.parameter("PATH") == nil
      try? exchange.write(Array("\(isAbsent)".utf8))
    }
    let answer = try FastCGIClient(running.path).exchange([("HTTP_HOST", "x"), ("PATH_INFO", "y")])
    #expect(answer.text == "true")
  }

  @Test("Headers of 64 KiB in several records pass")
  func longParameters() throws {
    let running = try RunningServer { exchange in
      try? exchange.write(Array("\(exchange.parameter("HTTP_X")?.utf8.count ?? 0)".utf8))
    }
    let value = String(repeating: "x", count: 65_536)
    #expect(try FastCGIClient(running.path).exchange([("HTTP_X", value)]).text == "65536")
  }

  @Test("An answer longer than a record arrives whole")
  func longAnswer() throws {
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let running = try RunningServer { try? $0.write(bytes) }
    #expect(try FastCGIClient(running.path).exchange([]).output == bytes)
  }

  @Test(
    "Head and body arrive whole, however long they are",
    arguments: [
      (20, 0), (20, 1), (20, 8171), (20, 8172), (20, 8173), (20, 59_574), (20, 65_508),
      (20, 65_509), (28, 131_028), (70_000, 5), (9_000, 0), (1, 1_000_000),
    ])
  func headAndBody(head: Int, body: Int) throws {
    let bytes = (0..<(head + body)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let running = try RunningServer { try? $0.write(Array(bytes[..<head]), Array(bytes[head...])) }
    let answer = try FastCGIClient(running.path).exchange([])
    #expect(answer.output == bytes)
    #expect(answer.isComplete)
  }

  @Test("Data written before precede a long answer")
  func behindAPiece() throws {
    let body = [UInt8](repeating: 7, count: 100_000)
    let running = try RunningServer { exchange in
      try? exchange.write([1, 2, 3])
      try? exchange.write([4], body)
      try? exchange.write([5])
    }
    #expect(try FastCGIClient(running.path).exchange([]).output == [1, 2, 3, 4] + body + [5])
  }

  @Test("A slow reader gets a long answer whole, and one that leaves blocks no other")
  func slowAndGone() throws {
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let running = try RunningServer { try? $0.write([1], body) }
    let gone = try FastCGIClient(running.path)
    gone.send(FastCGIClient.opening([]) + FastCGIClient.record(5, []))
    var few = [UInt8](repeating: 0, count: 100)
    #expect(recv(gone.descriptor, &few, few.count, 0) > 0)
    shutdown(gone.descriptor, Int32(SHUT_RDWR))
    let slow = try FastCGIClient(running.path)
    var size: Int32 = 4096
    setsockopt(slow.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(4))
    #expect(slow.exchange([], pause: 2000).output == [1] + body)
  }

  @Test("A body of 64 MiB streams through without growing memory")
  func largeBody() throws {
    let running = try RunningServer { exchange in
      var piece = [UInt8](repeating: 0, count: 65_536)
      var (total, sum) = (0, 0)
      while let count = try? piece.withUnsafeMutableBytes({ try exchange.read(into: $0) }),
        count > 0
      {
        total += count
        sum &+= Int(piece[0]) &+ Int(piece[count - 1])
      }
      try? exchange.write(Array("\(total)".utf8))
    }
    let record = FastCGIClient.record(5, [UInt8](repeating: 7, count: 32_768))
    // Other tests allocate memory at the same time; a leak per body would show in each run.
    let growths = try (0..<3).map { _ in
      let client = try FastCGIClient(running.path)
      client.send(FastCGIClient.opening([("CONTENT_LENGTH", "67108864")]))
      let before = try residentMebibytes()
      for _ in 0..<2048 { client.send(record) }
      let growth = try residentMebibytes() - before
      client.send(FastCGIClient.record(5, []))
      #expect(client.receive().text == "67108864")
      return growth
    }
    #expect(growths.contains { $0 < 32 }, "\(growths)")
  }

  @Test("Sixteen clients at once each get their own answer")
  func concurrency() throws {
    let running = try RunningServer(RunningServer.echo)
    let wrong = Mutex(0)
    let path = running.path
    DispatchQueue.concurrentPerform(iterations: 16) { client in
      for round in 0..<50 {
        let body = Array("\(client)-\(round)".utf8)
        let answer = try? FastCGIClient(path).exchange(
          [("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "\(body.count)")], body: body)
        let expected = "Status: 200\r\n\r\nPOST - \(client)-\(round)"
        if answer?.text != expected { wrong.withLock { $0 += 1 } }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }

  @Test("Stopping lets the running request finish, refuses new ones, and then run returns")
  func gracefulStop() throws {
    let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let running = try RunningServer { exchange in
      entered.signal()
      goOn.wait()
      try? exchange.write(Array("finished".utf8))
    }
    let client = try FastCGIClient(running.path)
    client.send(FastCGIClient.opening([]) + FastCGIClient.record(5, []))
    entered.wait()
    running.server.stop()
    #expect(throws: FastCGIClient.ConnectionRefused.self) { try FastCGIClient(running.path) }
    goOn.signal()
    #expect(client.receive().text == "finished")
    #expect(running.hasEnded(within: 10))
    #expect(!FileManager.default.fileExists(atPath: running.path))
  }

  @Test("A request that waited for a thread when the server stopped is still answered")
  func waitingRequestIsAnswered() throws {
    let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let running = try RunningServer(threads: 1) { exchange in
      entered.signal()
      goOn.wait()
      try? exchange.write(Array("answered".utf8))
    }
    let whole = FastCGIClient.opening([]) + FastCGIClient.record(5, [])
    let (first, second) = (try FastCGIClient(running.path), try FastCGIClient(running.path))
    first.send(whole)
    entered.wait()
    second.send(whole)
    running.server.stop()
    goOn.signal()
    goOn.signal()
    #expect(first.receive().text == "answered")
    #expect(second.receive().text == "answered")
  }

  @Test("Stopping before running ends run at once")
  func stopFirst() throws {
    let path = "/tmp/fcgi-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path + ".lock") }
    let server = try FastCGIServer(socketPath: path, threads: 2)
    server.stop()
    server.run { _ in }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  private func residentMebibytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return try #require(kibibytes.flatMap { Int($0) }) / 1024
  }
}
