import Foundation

/// The Python interpreter for reading and receiving mail in tests.
enum Python {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// `PAIRSPOT_TEST_PYTHON`, else that of the virtual environment in `.build`, else the system's.
  static let executable: String = {
    if let named = ProcessInfo.processInfo.environment["PAIRSPOT_TEST_PYTHON"] { return named }
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let candidates = [root.path + "/.build/venv/bin/python3", "/usr/bin/python3"]
    return candidates.first(where: FileManager.default.isExecutableFile) ?? "/usr/bin/env"
  }()

  private static var arguments: [String] {
    executable == "/usr/bin/env" ? ["python3"] : []
  }

  /// A process for running a program given as text.
  static func process(_ program: String, _ words: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments + ["-c", program] + words
    return process
  }

  /// The output of a program. Throws with its errors if it fails.
  static func output(_ program: String, _ words: [String]) throws -> Data {
    let process = process(program, words)
    let output = Pipe()
    let errors = FileManager.default.temporaryDirectory
      .appending(path: "pairspot-python-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: (try? String(contentsOf: errors, encoding: .utf8)) ?? "")
    }
    return data
  }
}
