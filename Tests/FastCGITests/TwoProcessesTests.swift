import FastCGI
import Foundation
import Glibc
import Testing

@Suite("Servers in processes of their own take over from each other")
struct TwoProcessesTests {
  /// The program built beside the tests.
  private static let tool: URL = {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: program ?? CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "listener-tool")
  }()

  private let folder = "/tmp/fcgi-\(UUID().uuidString)"
  private var path: String { "\(folder)/s" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func start(_ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = Self.tool
    process.arguments = [path] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func isReached(_ condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
      if condition() { return true }
      usleep(10_000)
    }
    return false
  }

  private func answerer() -> pid_t? {
    let text = try? FastCGIClient(path).exchange([("REQUEST_METHOD", "GET")]).text
    return text?.split(whereSeparator: \.isNewline).last.flatMap { pid_t($0) }
  }

  @Test("The owner is the process that answers, before and after, however the others end")
  func owner() throws {
    let old = try start()
    var all = [old]
    defer {
      for one in all where one.isRunning { kill(one.processIdentifier, SIGKILL) }
      for one in all { one.waitUntilExit() }
      try? FileManager.default.removeItem(atPath: folder)
    }
    #expect(isReached { FastCGIServer.owner(of: path) == old.processIdentifier })
    #expect(isReached { answerer() == old.processIdentifier })

    let new = try start("--take-over")
    all.append(new)
    #expect(isReached { FastCGIServer.owner(of: path) == new.processIdentifier })
    #expect(answerer() == new.processIdentifier)
    #expect(old.isRunning)
    // The newer server holds the lock: another one can't start without taking over.
    let refused = try start()
    all.append(refused)
    refused.waitUntilExit()
    #expect(refused.terminationStatus == 1)
    old.terminate()
    old.waitUntilExit()
    #expect(old.terminationStatus == 0)
    #expect(answerer() == new.processIdentifier)

    // The socket and lock left by a killed server do not prevent a start.
    kill(new.processIdentifier, SIGKILL)
    new.waitUntilExit()
    let next = try start()
    all.append(next)
    #expect(isReached { answerer() == next.processIdentifier })
    #expect(FastCGIServer.owner(of: path) == next.processIdentifier)
  }
}
