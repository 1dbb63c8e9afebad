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
    import hashlib, sys, time, zipfile
    with zipfile.ZipFile(sys.argv[1]) as z:
        assert z.testzip() is None
        for i in z.infolist():
            assert i.extra[:2] == b"UT"
            moment = time.gmtime(int.from_bytes(i.extra[5:9], "little"))[:6]
            print(i.filename, i.file_size, moment, hashlib.sha256(z.read(i)).hexdigest()[:8])
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
    try zip.add("in pieces.csv", length: Self.table.count) { write in
      for start in stride(from: 0, to: Self.table.count, by: 1000) {
        try write(Array(Self.table[start..<(start + 1000)]))
      }
    }
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
        "in pieces.csv 55000 (2026, 3, 2, 0, 0, 0) \(try hash("\(folder.path)/table"))",
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

  @Test(
    "A name that leads elsewhere, or is there already, is refused",
    arguments: ["", "/a", "../a", "a/../b", "a//b", "a/", "a\\b", "a\u{0}b", "twice"])
  func names(name: String) throws {
    let folder = try Folder()
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    try zip.add("twice", bytes: [1])
    #expect(throws: ZipError.badName(name)) { try zip.add(name, bytes: [1]) }
  }

  @Test("Pieces that are not as long together as was said are refused", arguments: [1, 3])
  func wrongLength(count: Int) throws {
    let folder = try Folder()
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    #expect(throws: ZipError.changed("a")) {
      try zip.add("a", length: 2) { write in for _ in 0..<count { try write([1]) } }
    }
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

  /// The 4 GiB of the other limit take too long here; `test_large_export.py` writes them.
  @Test("More than 65,535 entries are a ZIP64 archive")
  func manyEntries() throws {
    let folder = try Folder()
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    for number in 1...70_000 { try zip.add("\(number)", bytes: []) }
    _ = try zip.finish()
    let count = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).infolist()))"
    let path = "\(folder.path)/a.zip"
    #expect(try output("/usr/bin/python3", ["-c", count, path]) == "70000\n")
    if FileManager.default.fileExists(atPath: "/usr/bin/unzip") {
      _ = try output("/usr/bin/unzip", ["-tqq", path])
    }
  }

  @Test("An entry of more than 4 GiB has its lengths in a ZIP64 field before its content")
  func largeEntry() throws {
    let folder = try Folder()
    let source = "\(folder.path)/sparse"
    #expect(FileManager.default.createFile(atPath: source, contents: nil))
    #expect(truncate(source, 5 << 30) == 0)
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    #expect(throws: CancellationError.self) {
      try zip.add("sparse", file: source) { _ in throw CancellationError() }
    }
    let file = try #require(FileHandle(forReadingAtPath: "\(folder.path)/a.zip"))
    let head = Array(try file.read(upToCount: 200) ?? Data())
    // APPNOTE.TXT 4.5.3: tag 1, 16 bytes, the length before and after compression.
    let length: [UInt8] = [0, 0, 0, 0x40, 1, 0, 0, 0]
    let field: [UInt8] = [1, 0, 16, 0] + length + length
    #expect(head[18..<26].allSatisfy { $0 == 0xFF })
    #expect(head.indices.contains { head[$0...].starts(with: field) })
  }

  @Test("Texts are compressed if requested, files and other bytes are stored")
  func methods() throws {
    let folder = try Folder()
    try Data(Self.table).write(to: URL(filePath: "\(folder.path)/table"))
    let zip = try ZipWriter(path: "\(folder.path)/a.zip", moment: Self.moment)
    try zip.add("a", bytes: Self.table, packing: true)
    try zip.add("b", bytes: Self.table)
    try zip.add("c", bytes: Self.table, packing: true)
    try zip.add("d", file: "\(folder.path)/table")
    _ = try zip.finish()
    let methods = """
      import sys, zipfile
      for i in zipfile.ZipFile(sys.argv[1]).infolist():
          print(i.filename, i.compress_type, i.compress_size < 1000, i.external_attr >> 16)
      """
    #expect(
      try output("/usr/bin/python3", ["-c", methods, "\(folder.path)/a.zip"])
        == "a 8 True 33152\nb 0 False 33152\nc 8 True 33152\nd 0 False 33152\n")
  }

  @Test("A file that changes while it is read is not in the archive with another length")
  func changed() throws {
    let folder = try Folder()
    let source = "\(folder.path)/file"
    for other in [off_t(100), 3 << 20] {
      try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: source))
      let zip = try ZipWriter(path: "\(folder.path)/\(other).zip", moment: Self.moment)
      #expect(throws: ZipError.changed(source)) {
        try zip.add("file", file: source) { _ in _ = truncate(source, other) }
      }
    }
  }

  @Test("An archive that was given up is not completed")
  func givenUp() throws {
    let folder = try Folder()
    let path = "\(folder.path)/a.zip"
    do {
      let zip = try ZipWriter(path: path, moment: Self.moment)
      try zip.add("a", bytes: [1])
    }
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(bytes.range(of: Data([0x50, 0x4B, 5, 6])) == nil)
  }

  @Test("A full disk is told with its error number, by the call after the buffer at the latest")
  func fullDisk() throws {
    for packing in [false, true] {
      let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
      try #require(full >= 0)
      let zip = try ZipWriter(ZipOutput(full), path: "it", moment: Self.moment)
      let error = #expect(throws: ZipError.self) {
        try zip.add("a", bytes: (0..<500_000).map { _ in .random(in: 0...255) }, packing: packing)
      }
      #expect(error == .system("write it", ENOSPC) && error?.isFull == true)
      #expect(throws: ZipError.system("write it", ENOSPC)) { try zip.finish() }
    }
  }

  @Test("The same entries give the same bytes")
  func deterministic() throws {
    let folder = try Folder()
    let archives = try ["a", "b"].map { name in
      let path = "\(folder.path)/\(name).zip"
      let zip = try ZipWriter(path: path, moment: Self.moment)
      try zip.add("照片", bytes: Self.table, packing: true)
      try zip.add("b", bytes: Self.table)
      _ = try zip.finish()
      return try Data(contentsOf: URL(filePath: path))
    }
    #expect(archives[0] == archives[1])
    // APPNOTE.TXT 4.4.4: bit 11 of the flags says that the name is UTF-8.
    #expect(archives[0][7] & 8 == 8)
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
