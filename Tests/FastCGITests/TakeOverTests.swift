import FastCGI
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("A newer server takes the socket over")
struct TakeOverTests {
  /// A server that answers until it is stopped.
  private final class Running: Sendable {
    private let server: FastCGIServer
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String, name: String, takesOver: Bool, slowly: UInt32 = 0) throws {
      let server = try FastCGIServer(socketPath: path, threads: 2, takesOver: takesOver)
      self.server = server
      let ended = ended
      Thread.detachNewThread {
        server.run { exchange in
          usleep(slowly)
          try? exchange.write(Array("Status: 200\r\n\r\n\(name)".utf8))
        }
        ended.signal()
      }
    }

    func end() {
      server.stop()
      ended.wait()
    }
  }

  private let folder = "/tmp/fcgi-\(UUID().uuidString)"
  private var path: String { "\(folder)/s" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func tidy() { try? FileManager.default.removeItem(atPath: folder) }

  private func ask() throws -> String {
    try FastCGIClient(path).exchange([("REQUEST_METHOD", "GET")]).text
  }

  @Test("No client is refused, however often it happens")
  func nobodyIsTurnedAway() throws {
    defer { tidy() }
    let wrong = Mutex<[String]>([])
    let answered = Atomic(0)
    let isOver = Atomic(false)
    var running = try Running(path, name: "0", takesOver: false)
    let done = DispatchGroup()
    for _ in 0..<4 {
      done.enter()
      Thread.detachNewThread {
        while !isOver.load(ordering: .relaxed) {
          do {
            let text = try ask()
            if text.contains("200") {
              answered.add(1, ordering: .relaxed)
            } else {
              wrong.withLock { $0.append(text) }
            }
          } catch {
            wrong.withLock { $0.append("\(error)") }
          }
        }
        done.leave()
      }
    }
    for number in 1...60 {
      let newer = try Running(path, name: "\(number)", takesOver: true)
      // Lets pending connections to the older server complete.
      usleep(10_000)
      running.end()
      running = newer
    }
    isOver.store(true, ordering: .relaxed)
    done.wait()
    running.end()
    #expect(wrong.withLock { $0 } == [])
    #expect(answered.load(ordering: .relaxed) > 600)
  }

  @Test("The older server answers its connections, and leaves the newer one's socket alone")
  func olderOneFinishes() throws {
    defer { tidy() }
    let old = try Running(path, name: "old", takesOver: false, slowly: 300_000)
    let answers = Mutex<[String]>([])
    let done = DispatchGroup()
    // Two threads answer; the others wait in the queue.
    let connections = try (0..<6).map { _ in try FastCGIClient(path) }
    for connection in connections {
      done.enter()
      Thread.detachNewThread {
        let text = connection.exchange([("REQUEST_METHOD", "GET")]).text
        answers.withLock { $0.append(text) }
        done.leave()
      }
    }
    let new = try Running(path, name: "new", takesOver: true)
    #expect(try ask().contains("new"))
    old.end()
    done.wait()
    #expect(answers.withLock { $0 }.count { $0.contains("old") } == 6)
    #expect(try ask().contains("new"))
    new.end()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("The listening process is known, and starting without taking over is refused")
  func owner() throws {
    defer { tidy() }
    #expect(FastCGIServer.owner(of: path) == nil)
    let old = try Running(path, name: "old", takesOver: false)
    #expect(FastCGIServer.owner(of: path) == getpid())
    let new = try Running(path, name: "new", takesOver: true)
    old.end()
    #expect(throws: FastCGIError.alreadyRunning(path: path)) {
      try FastCGIServer(socketPath: path, threads: 1)
    }
    new.end()
    let next = try Running(path, name: "next", takesOver: false)
    #expect(try ask().contains("next"))
    next.end()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["s.lock"])
  }

  @Test("Without a place for the lock the older one continues, and nothing is left behind")
  func halfTakenOver() throws {
    defer { tidy() }
    let old = try Running(path, name: "old", takesOver: false)
    // A full disk cannot be simulated at this step; a folder in place of the file fails as well.
    let lock = "\(path).lock"
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createDirectory(
      atPath: "\(lock)/x", withIntermediateDirectories: true)
    #expect(throws: FastCGIError.self) {
      try FastCGIServer(socketPath: path, threads: 1, takesOver: true)
    }
    #expect(try ask().contains("old"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["s", "s.lock"])
    old.end()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("Taking over without a listening server is an ordinary start")
  func nobodyThere() throws {
    defer { tidy() }
    let first = try Running(path, name: "first", takesOver: true)
    #expect(try ask().contains("first"))
    first.end()
  }
}
