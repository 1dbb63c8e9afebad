import Core
import Foundation
import Testing

@testable import Archive

@Suite("ZIP archives")
struct ZipWriterTests {
  private static let moment = Instant(milliseconds: 1_772_409_600_000)

  /// A temporary folder, deleted with its test.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "zip-\(UUID())").path

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The output of a program; throws if it fails.
  private func output(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    try #require(process.terminationStatus == 0, "\(text)")
    return text
  }

  private static let table = Array(String(repeating: "1,100,,80\r\n", count: 5000).utf8)

  private static let reader = """
    import hashlib, sys, zipfile
    with zipfile.ZipFile(sys.argv[1]) as z:
        assert z.testzip() is None
        for i in z.infolist():
            print(i.filename, i.file_size, i.date_time, hashlib.sha256(z.read(i)).hexdigest()[:8])
    """

  @Test("Python reads every entry with its name, moment and bytes")
  func python() throws {
    let folder = try Folder()
    let large = [UInt8]((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try Data(large).write(to: URL(filePath: "\(folder.path)/large"))
    try Data(Self.table).write(to: URL(filePath: "\(folder.path)/table"))
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    try zip.add("account.json", bytes: Array("{}".utf8))
    try zip.add("empty", bytes: [])
    try zip.add("empty and packed", bytes: [], packing: true)
    try zip.add("seconds.csv", bytes: Self.table, packing: true)
    var reportedBytes = 0
    try zip.add("photos/照片.jpg", file: "\(folder.path)/large") { reportedBytes += $0 }
    let length = try zip.finish()
    let size = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/a.zip")[.size]
    #expect(size as? UInt64 == length && reportedBytes == large.count)
    let lines = try output("/usr/bin/python3", ["-c", Self.reader, "\(folder.path)/a.zip"])
      .split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "account.json 2 (2026, 3, 2, 0, 0, 0) 44136fa3",
        "empty 0 (2026, 3, 2, 0, 0, 0) e3b0c442",
        "empty and packed 0 (2026, 3, 2, 0, 0, 0) e3b0c442",
        "seconds.csv 55000 (2026, 3, 2, 0, 0, 0) \(try hash("\(folder.path)/table"))",
        "photos/照片.jpg 1000003 (2026, 3, 2, 0, 0, 0) \(try hash("\(folder.path)/large"))",
      ])
  }

  private func hash(_ path: String) throws -> String {
    String(try output("/usr/bin/sha256sum", [path]).prefix(8))
  }

  @Test(
    "unzip finds nothing wrong",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/unzip")))
  func unzip() throws {
    let folder = try Folder()
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    for number in 1...300 { try zip.add("a/\(number).txt", bytes: Array("\(number)".utf8)) }
    _ = try zip.finish()
    #expect(
      try output("/usr/bin/unzip", ["-t", "\(folder.path)/a.zip"])
        .contains("No errors detected"))
  }

  @Test("The checksum is the same as in other programs")
  func checksum() {
    var checksum = CRC32()
    for piece in ["1234", "56789"] { Array(piece.utf8).withUnsafeBytes { checksum.update($0) } }
    #expect(checksum.value == 0xCBF4_3926)
  }

  @Test(
    "A name that leads elsewhere, or is there already, is refused",
    arguments: ["", "/a", "../a", "a/../b", "a//b", "a/", "a\\b", "a\u{0}b", "twice"])
  func names(name: String) throws {
    let folder = try Folder()
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    try zip.add("twice", bytes: [1])
    #expect(throws: ZipError.badName(name)) { try zip.add(name, bytes: [1]) }
  }

  @Test("A file that isn't there leaves the archive as it was")
  func missing() throws {
    let folder = try Folder()
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    try zip.add("a", bytes: [1])
    #expect(throws: ZipError.missing("\(folder.path)/none")) {
      try zip.add("b", file: "\(folder.path)/none")
    }
    _ = try zip.finish()
    #expect(
      try output("/usr/bin/python3", ["-c", Self.reader, "\(folder.path)/a.zip"])
        .split(separator: "\n").count == 1)
  }

  @Test("More than 4 GiB is refused before anything is copied")
  func tooLarge() throws {
    let folder = try Folder()
    let source = "\(folder.path)/sparse"
    #expect(FileManager.default.createFile(atPath: source, contents: nil))
    #expect(truncate(source, off_t(ZipWriter.maximumBytes) - 10) == 0)
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    try zip.add("head", bytes: [UInt8](repeating: 1, count: 100))
    var reportedBytes = 0
    #expect(throws: ZipError.tooLarge) {
      try zip.add("sparse", file: source) { reportedBytes += $0 }
    }
    #expect(reportedBytes == 0)
  }

  @Test("A file that is there is never written over")
  func there() throws {
    let folder = try Folder()
    _ = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    #expect(throws: ZipError.self) {
      _ = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    }
  }
}
