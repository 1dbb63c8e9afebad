import Core
import Dispatch
import Foundation
import Processes
import Synchronization
import Testing

@testable import Films

@Suite("The film processor bounds its children and leaves nothing behind")
struct FilmProcessorTests {
  /// A processor whose children are a shell script.
  private func processor(
    _ bench: FilmBench, _ script: String, waiting: Int = 8, timeout: Double = 20
  ) throws -> FilmProcessor {
    let path = try bench.file("limiter", "#!/bin/sh\n\(script)\n".utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return FilmBench.processor(limiter: path, waiting: waiting, timeout: timeout)
  }

  /// The error of a film whose children are a shell script.
  private func rejection(_ script: String, timeout: Double = 20) throws -> FilmError? {
    let bench = try FilmBench()
    let file = try bench.file("upload", Self.head)
    let films = try processor(bench, script, timeout: timeout)
    defer { #expect(bench.names == []) }
    do throws(FilmError) {
      _ = try films.film(file: file, maximumSeconds: 15, into: bench.stored.path)
      return nil
    } catch {
      return error
    }
  }

  /// The first bytes of an MP4.
  private static let head = Array("\u{0}\u{0}\u{0}\u{14}ftypisom\u{0}\u{0}\u{0}\u{0}isom".utf8)

  @Test("Each end of a child has its error")
  func ends() throws {
    #expect(try rejection("exit 1") == .damaged)
    #expect(try rejection("kill -9 $$") == .damaged)
    #expect(try rejection("echo nothing") == .damaged)
    #expect(try rejection("exec sleep 60", timeout: 0.5) == .damaged)
    #expect(try rejection("echo x: No space left on device >&2; exit 1") == .diskFull)
    // ffmpeg 6 and newer end with the error's number.
    #expect(try rejection("echo x: No space left on device >&2; exit 228") == .diskFull)
    #expect(try rejection("echo Codec x not on whitelist >&2; exit 1") == .unsupportedFormat)
    guard case .failed(let reason) = try rejection("echo cannot start it >&2; exit 70") else {
      Issue.record("not an internal error")
      return
    }
    #expect(reason.contains("cannot start it"))
  }

  @Test("A child that says more than it should is believed nothing")
  func output() throws {
    let stream = #"{"index":0,"codec_type":"video","codec_name":"h264","width":64,"height":64}"#
    #expect(try rejection(#"echo '{"streams":[],"format":{}}'"#) == .damaged)
    let sound = #"{"index":0,"codec_type":"audio","codec_name":"aac"}"#
    #expect(try rejection("echo '{\"streams\":[\(sound)],\"format\":{}}'") == .noPicture)
    // It says that it has made a film, and has not.
    #expect(try rejection("echo '{\"streams\":[\(stream)],\"format\":{}}'") == .damaged)
    #expect(
      try rejection("echo '{\"streams\":[\(stream)],\"format\":{\"duration\":\"1\"}}'")
        == .failed("ffmpeg did not make a file"))
    #expect(try rejection("yes '{' | head -c 1000000") == .damaged)
  }

  @Test("Without ffmpeg, nothing is processed")
  func unavailable() throws {
    let bench = try FilmBench()
    let file = try bench.file("upload", Self.head)
    let processor = FilmBench.processor(ffmpeg: "/nowhere")
    #expect(!processor.isAvailable && !processor.isRecent)
    #expect(FilmBench.processor().isAvailable && FilmBench.processor().isRecent)
    #expect(throws: FilmError.unavailable) {
      try processor.film(file: file, maximumSeconds: 15, into: bench.stored.path)
    }
  }

  @Test("Files over the limits and folders that don't exist are found before a child starts")
  func early() throws {
    let bench = try FilmBench()
    let file = try bench.file("upload", Self.head)
    let films = try processor(bench, "exit 1")
    #expect(truncate(file, off_t(FilmLimits.voiceBytes) + 1) == 0)
    #expect(throws: FilmError.tooManyBytes) {
      try films.voice(file: file, maximumSeconds: 120, into: bench.stored.path)
    }
    #expect(truncate(file, off_t(FilmLimits.filmBytes) + 1) == 0)
    #expect(throws: FilmError.tooManyBytes) {
      try films.film(file: file, maximumSeconds: 15, into: bench.stored.path)
    }
    #expect(truncate(file, 100) == 0)
    #expect(throws: FilmError.failed("cannot write to /nowhere")) {
      try films.film(file: file, maximumSeconds: 15, into: "/nowhere")
    }
  }

  /// The errors of films and voice notes that are sent at once, in the order in which they come.
  private func errors(
    _ processor: FilmProcessor, films: Int, voices: Int = 0, _ bench: FilmBench
  ) throws -> [FilmError] {
    let file = try bench.file("upload", Self.head)
    let folder = bench.stored.path
    let errors = Mutex<[FilmError]>([])
    let group = DispatchGroup()
    for number in 0..<films + voices {
      group.enter()
      Thread.detachNewThread {
        do throws(FilmError) {
          if number < films {
            _ = try processor.film(file: file, maximumSeconds: 15, into: folder)
          } else {
            _ = try processor.voice(file: file, maximumSeconds: 15, into: folder)
          }
        } catch {
          errors.withLock { $0.append(error) }
        }
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + 20) == .success)
    #expect(bench.names == [])
    return errors.withLock { $0 }
  }

  @Test("Above the limit of callers, the next ones are refused at once")
  func busy() throws {
    let bench = try FilmBench()
    let crowded = try processor(bench, "exec sleep 60", waiting: 2, timeout: 1.5)
    let found = try errors(crowded, films: 4, bench)
    #expect(found.count == 4 && found.prefix(2) == [.busy, .busy], "\(found)")
    #expect(found.contains(.damaged))
  }

  @Test("A film waits for another one; voice notes have a queue of their own")
  func queues() throws {
    let bench = try FilmBench()
    let processor = try processor(bench, "sleep 0.3; exit 1", waiting: 2)
    let found = try errors(processor, films: 2, voices: 2, bench)
    #expect(found == Array(repeating: .damaged, count: 4))
  }

  @Test("The names of files are recognised, and all of one are removed")
  func files() throws {
    let bench = try FilmBench()
    let id = ID<FilmFiles.Name>.random().description
    let names = [FilmFiles.film(id), FilmFiles.poster(id), FilmFiles.voice(id)]
    #expect(names == ["film_\(id).mp4", "poster_\(id).jpg", "voice_\(id).m4a"])
    for name in names + names.map(FilmFiles.temporary) + ["other"] {
      try Data().write(to: bench.stored.appending(path: name))
    }
    #expect(bench.names.filter(FilmFiles.isUnfinished).count == 3)
    FilmFiles.remove(id: id, in: bench.stored.path)
    #expect(bench.names == ["other"])
    FilmFiles.remove(id: "../other", in: bench.stored.path)
    #expect(bench.names == ["other"])
  }

  @Test("ffmpeg has the limits of a child, and no sockets")
  func limits() throws {
    let limits = try ChildProcess.run(
      FilmBench.limiter, ["limited", "/bin/cat", "/proc/self/limits"], timeout: 20)
    let lines = String(decoding: limits.output, as: UTF8.self).split(separator: "\n")
    for (name, value) in [
      ("Max address space", "1610612736"), ("Max cpu time", "120"), ("Max core file size", "0"),
      ("Max open files", "16"), ("Max file size", "536870912"),
    ] {
      let line = try #require(lines.first { $0.hasPrefix(name) })
      let words = line.dropFirst(name.count).split(separator: " ")
      #expect(words.prefix(2) == [value[...], value[...]], "\(line)")
    }
    // Port 1 of this machine, where nothing listens.
    let request = ["-v", "error", "-protocol_whitelist", "tcp,http", "-i", "http://127.0.0.1:1/"]
    for (arguments, message) in [
      ([FilmBench.limiter, "limited", FilmBench.ffmpeg], "Operation not permitted"),
      ([FilmBench.ffmpeg], "Connection refused"),
    ] {
      let result = try ChildProcess.run(
        arguments[0], Array(arguments.dropFirst()) + request, timeout: 20)
      #expect(String(decoding: result.errors, as: UTF8.self).contains(message))
    }
    let missing = try ChildProcess.run(FilmBench.limiter, ["limited", "/nowhere"], timeout: 20)
    #expect(missing.status == EX_SOFTWARE)
  }
}
