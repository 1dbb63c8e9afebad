import Core
import Foundation
import Processes
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("The child process keeps within its limits")
struct ImageProcessLimitsTests {
  private let id = ID<PictureFiles.Name>.random().description

  @Test("It has 1 GiB, 20 s, no core file, few files and no processes of its own")
  func limits() throws {
    let bench = try Bench()
    let file = try bench.file(TestPictures.png(8, 8))
    let result = try ChildProcess.run(
      Bench.tool, ["--limits", "post", file, bench.stored.path, id], timeout: 20)
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    for (name, value) in [
      ("Max address space", "1073741824"), ("Max cpu time", "20"), ("Max core file size", "0"),
      ("Max open files", "16"), ("Max processes", "0"),
    ] {
      let line = try #require(lines.first { $0.hasPrefix(name) })
      let words = line.dropFirst(name.count).split(separator: " ")
      #expect(words.prefix(2) == [value[...], value[...]], "\(line)")
    }
  }

  @Test("A picture that needs more memory than there is kills the child, not the parent")
  func memory() throws {
    let bench = try Bench()
    let row = [UInt8](repeating: 0, count: 1_000)
    let file = HandmadePNG.make(
      8_000, 6_000, depth: 1, type: 0, rows: [[UInt8]](repeating: row, count: 6_000))
    let little = ["--memory=180000000"]
    #expect(try bench.rejection(file, arguments: little) == .damaged)
    #expect(bench.names == [])
    // Neither the picture alone nor the low memory alone fails.
    #expect(try bench.rejection(file) == nil)
    #expect(try bench.rejection(TestPictures.png(8, 8), arguments: little) == nil)
  }

  @Test("It says how it is called when it is called wrongly")
  func usage() throws {
    for arguments in [[], ["post"], ["video", "a", "b", id], ["post", "a", "b", "../../etc"]] {
      let result = try ChildProcess.run(Bench.tool, arguments, timeout: 20)
      #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
    }
  }

  @Test("Each end has a code and one line")
  func codes() throws {
    let bench = try Bench()
    let good = try bench.file(TestPictures.png(8, 8), named: "good")
    let bad = try bench.file(Array("%PDF".utf8), named: "bad")
    for (file, folder, status, line) in [
      (
        good, bench.stored.path, 0,
        #"^\{"bytes":\d+,"fileExtension":"png","hasWebP":false,"height":8,"width":8\}\n$"#
      ),
      (bad, bench.stored.path, 1, #"^\{"error":"unsupported","format":"pdf"\}\n$"#),
      (good, "/nowhere", 70, #"^\{"detail":"cannot make .*","error":"failed"\}\n$"#),
    ] {
      let result = try ChildProcess.run(Bench.tool, ["post", file, folder, id], timeout: 20)
      #expect(result.status == status)
      let said = String(decoding: result.output, as: UTF8.self)
      #expect(said.range(of: line, options: .regularExpression) != nil, "\(said)")
    }
  }
}
