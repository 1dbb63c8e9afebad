import Core
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("The workshop bounds its children and believes nothing they say")
struct ImageProcessorTests {
  /// An image processor with a shell command as its child.
  private func imageProcessor(
    _ script: String, children: Int = 1, waiting: Int = 8, timeout: Double = 10
  ) -> ImageProcessor {
    ImageProcessor(
      executable: "/bin/sh", arguments: ["-c", script, "sh"], maximumChildren: children,
      maximumWaiting: waiting, timeout: timeout)
  }

  /// The error of a picture processed by a shell command.
  private func rejection(_ script: String, timeout: Double = 10) throws -> PictureError? {
    let bench = try Bench()
    let file = try bench.file(TestPictures.png(8, 8))
    defer { #expect(bench.names == []) }
    do throws(PictureError) {
      _ = try imageProcessor(script, timeout: timeout).process(
        file: file, kind: .post, into: bench.stored.path)
      return nil
    } catch {
      return error
    }
  }

  @Test("A child that finds the disk full reports it, and it differs from all other errors")
  func diskFull() throws {
    #expect(ImageJobReport.refused(.diskFull).line == "{\"error\":\"disk_full\"}\n")
    #expect(try rejection("echo '{\"error\":\"disk_full\"}'; exit 70") == .diskFull)
    for code in [ENOSPC, EDQUOT] {
      errno = code
      #expect(PictureFile.failure("cannot write it") == .diskFull)
    }
    errno = EIO
    #expect(PictureFile.failure("cannot write it") != .diskFull)
    #expect(PictureError.diskFull.isFull && !PictureError.failed("x").isFull)
  }

  @Test("Above the limit of callers, the next ones are refused at once")
  func busy() throws {
    let bench = try Bench()
    let file = try bench.file(TestPictures.png(8, 8))
    let (gate, log) = ("\(bench.folder.path)/gate", "\(bench.folder.path)/log")
    let crowded = imageProcessor(
      "echo begins >>\(log); until [ -e \(gate) ]; do sleep 0.02; done; echo ends >>\(log); exit 1",
      waiting: 2, timeout: 60)
    let errors = Mutex<[PictureError]>([])
    let folder = bench.stored.path
    let group = DispatchGroup()
    for _ in 0..<6 {
      group.enter()
      Thread.detachNewThread {
        do throws(PictureError) {
          _ = try crowded.process(file: file, kind: .post, into: folder)
        } catch {
          // The fourth refused caller opens the gate: no other was released by then.
          let told = errors.withLock { all in
            all.append(error)
            return all.count
          }
          if told == 4 { _ = FileManager.default.createFile(atPath: gate, contents: nil) }
        }
        group.leave()
      }
    }
    group.wait()
    let all = errors.withLock { $0 }
    #expect(all.prefix(4).allSatisfy { $0 == .busy })
    #expect(all.count == 6 && !all.suffix(2).contains(.busy))
    // One after the other, and the slots are free again.
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "begins\nends\nbegins\nends\n")
    #expect(throws: PictureError.self) {
      do throws(PictureError) {
        _ = try crowded.process(file: file, kind: .post, into: folder)
      } catch {
        #expect(error != .busy)
        throw error
      }
    }
  }

  @Test("No more children than allowed work at once")
  func atOnce() throws {
    let bench = try Bench()
    let file = try bench.file(TestPictures.png(8, 8))
    let marks = bench.folder.appending(path: "marks")
    try FileManager.default.createDirectory(at: marks, withIntermediateDirectories: true)
    let shop = imageProcessor(
      "touch \(marks.path)/$$; ls \(marks.path) | wc -l >> \(marks.path).log; sleep 0.2; "
        + "rm \(marks.path)/$$; exit 1", children: 2)
    let folder = bench.stored.path
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      _ = try? shop.process(file: file, kind: .post, into: folder)
    }
    let log = try String(contentsOfFile: "\(marks.path).log", encoding: .utf8)
    let counts = log.split(separator: "\n").compactMap {
      Int($0.trimmingCharacters(in: .whitespaces))
    }
    #expect(counts.count == 6 && counts.allSatisfy { $0 <= 2 })
  }

  @Test("Real pictures by many threads all come out")
  func manyThreads() throws {
    let bench = try Bench()
    let file = try bench.file(TestPictures.jpeg(400, 300))
    let folder = bench.stored.path
    let shop = Bench.imageProcessor()
    let ids = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if let picture = try? shop.process(file: file, kind: .post, into: folder) {
        ids.withLock { _ = $0.insert(picture.id) }
      }
    }
    #expect(ids.withLock { $0.count } == 8)
    #expect(bench.names.count == 40)
  }

  @Test("A child that takes too long is killed")
  func timeout() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let note = folder.appending(path: "child").path
    #expect(try rejection("echo $$ >\(note); exec sleep 3600", timeout: 0.3) == .damaged)
    let child = try #require(
      pid_t(String(contentsOfFile: note, encoding: .utf8).trimmingCharacters(in: .newlines)))
    #expect(kill(child, 0) == -1 && errno == ESRCH)
  }

  @Test("A child that is killed by a signal means a damaged picture, with nothing left of it")
  func killed() throws {
    #expect(try rejection("touch $3/.original_$4.png.part $3/thumb_$4.png; kill -9 $$") == .damaged)
    #expect(try rejection("kill -SEGV $$") == .damaged)
  }

  @Test(
    "Unexpected output of a child is a failure",
    arguments: [
      "exit 0", "echo", "echo '{}'", "echo '{\"error\":\"damaged\"}'", "echo damaged; exit 1",
      "printf '{\"error\":\"damaged\"}'; exit 1", "echo '{\"error\":\"busy\"}'; exit 1",
      "yes x | head -c 100000", "exit 64",
      // No such files, although the child reports them.
      "echo '{\"bytes\":9,\"fileExtension\":\"png\",\"hasWebP\":false,\"height\":8,\"width\":8}'",
    ])
  func lies(script: String) throws {
    guard case .failed = try rejection(script) else {
      Issue.record("\(script) was believed")
      return
    }
  }

  @Test("Sizes and formats that can't be are not believed, files or not")
  func impossible() throws {
    let touch =
      "for v in original medium thumb; do printf '\\211PNG\\r\\n\\032\\n' > $3/${v}_$4.png; done; "
    func say(_ json: String) -> String { touch + "echo '\(json)'" }
    let bench = try Bench()
    let possible = #"{"bytes":24,"fileExtension":"png","hasWebP":false,"height":8,"width":8}"#
    let picture = try imageProcessor(say(possible)).process(
      file: bench.file(TestPictures.png(8, 8)), kind: .post, into: bench.stored.path)
    #expect(picture.bytes == 24)
    for json in [
      #"{"bytes":24,"fileExtension":"png","hasWebP":false,"height":8,"width":0}"#,
      #"{"bytes":24,"fileExtension":"png","hasWebP":false,"height":99999,"width":8}"#,
      #"{"bytes":24,"fileExtension":"html","hasWebP":false,"height":8,"width":8}"#,
      #"{"bytes":24,"fileExtension":"png","hasWebP":true,"height":8,"width":8}"#,
      #"{"bytes":23,"fileExtension":"png","hasWebP":false,"height":8,"width":8}"#,
      #"{"bytes":24,"fileExtension":"png","hasWebP":false,"height":8.5,"width":8}"#,
    ] {
      guard case .failed = try rejection(say(json)) else {
        Issue.record("\(json) was believed")
        continue
      }
    }
  }

  @Test("Files of a child with other content than reported are a failure")
  func otherContent() throws {
    let json = #"{"bytes":9,"fileExtension":"png","hasWebP":false,"height":8,"width":8}"#
    let script = "for v in original medium thumb; do printf abc > $3/${v}_$4.png; done; "
    guard case .failed(let reason) = try rejection(script + "echo '\(json)'") else {
      Issue.record("was believed")
      return
    }
    #expect(reason.contains("something else"))
  }

  @Test("A missing program or folder is our failure, not the picture's")
  func missing() throws {
    let bench = try Bench()
    let file = try bench.file(TestPictures.png(8, 8))
    for (program, folder) in [("/nowhere/program", bench.stored.path), (Bench.tool, "/nowhere")] {
      let shop = ImageProcessor(
        executable: program, arguments: [], maximumChildren: 1, maximumWaiting: 1)
      do throws(PictureError) {
        _ = try shop.process(file: file, kind: .post, into: folder)
        Issue.record("worked")
      } catch {
        #expect(error.code == "failed")
      }
    }
  }

  @Test("A file that is a symbolic link or a folder is not read")
  func notFiles() throws {
    let bench = try Bench()
    let link = bench.folder.appending(path: "link")
    let real = URL(filePath: try bench.file(TestPictures.png(8, 8)))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
    for path in [link.path, bench.folder.path] {
      #expect(throws: PictureError.self) {
        try Bench.imageProcessor().process(file: path, kind: .post, into: bench.stored.path)
      }
    }
  }
}
