import Foundation
import Testing

@testable import Web

@Suite("Forms with files")
struct MultipartTests {
  private let folder: MultipartFolder

  init() throws {
    folder = try MultipartFolder()
  }

  @Test("Fields and files are read in their order, in any pieces of the body")
  func chunks() throws {
    let picture = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let body =
      Body.field("csrf_token", "abc") + Body.field("content", "早安\r\nmorning")
      + Body.file("images", "a.jpg", picture) + Body.file("images", "b.png", [], type: "image/png")
      + Body.field("content", "") + Body.end
    for chunk in [1, 2, 3, 7, 64, 1000, .max] {
      let form = try folder.read(body, chunk: chunk)
      #expect(
        form.pairs == [["csrf_token", "abc"], ["content", "早安\r\nmorning"], ["content", ""]])
      #expect(form.files.map(\.fileName) == ["a.jpg", "b.png"])
      #expect(form.files.map(\.fieldName) == ["images", "images"])
      #expect(form.files.map(\.contentType) == ["image/jpeg", "image/png"])
      #expect(form.files.map(\.bytes) == [5000, 0])
      #expect(try form.content(0) == picture)
      #expect(try form.content(1) == [])
      #expect(!form.tooManyFiles && !form.filesTooLargeTogether)
    }
  }

  @Test("Text that looks like a boundary inside a file is content")
  func lookalikes() throws {
    let contents = [
      "\r\n--", "\r\n--Y", "--X", "\n--X\n", "\r--X", "\r\r\n-", "\r\n\r\n--\r\n", "a\r\n-X--X--",
      "\r\n\r\n", "\r", "\n", "\r\n", "\r\n-", "--X--\r\n", String(repeating: "\r\n--", count: 50),
    ]
    for content in contents {
      for chunk in [1, 5, .max] {
        let body = Body.file("f", "a", Array(content.utf8)) + Body.end
        let form = try folder.read(body, chunk: chunk)
        #expect(try form.content(0) == Array(content.utf8))
      }
    }
  }

  @Test("A file larger than the buffer is read whole, wherever its pieces end")
  func large() throws {
    // CRs everywhere, each of which could start a boundary.
    let content = (0..<300_001).map { UInt8($0 % 3 == 0 ? 0x0D : $0 % 3 == 1 ? 0x0A : 0x2D) }
    for chunk in [65_535, 65_536, 4093, .max] {
      let form = try folder.read(Body.file("f", "a", content) + Body.end, chunk: chunk)
      #expect(try form.content(0) == content)
    }
  }

  @Test("The files have mode 600 and random names, and are gone with the form")
  func temporary() throws {
    let body = Body.file("f", "../../evil.sh", [1, 2, 3]) + Body.end
    var form: MultipartForm? = try folder.read(body)
    let file = try #require(form?.files.first)
    #expect(file.path.hasPrefix(folder.path + "/upload-"))
    #expect(file.fileName == "evil.sh")
    #expect(folder.names.count == 1)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    form = nil
    #expect(folder.names == [])
  }

  @Test("The files can be removed before the form is gone")
  func removed() throws {
    let form = try folder.read(Body.file("f", "a", [1]) + Body.end)
    form.removeFiles()
    #expect(folder.names == [])
    #expect(form.files.count == 1)
  }

  @Test("An input without a file is left out, an empty file with a name is not")
  func emptyInputs() throws {
    let form = try folder.read(
      Body.file("avatar", "", []) + Body.file("images", "empty.txt", []) + Body.field("a", "b")
        + Body.end)
    #expect(form.files.map(\.fieldName) == ["images"])
    #expect(form.pairs == [["a", "b"]])
    #expect(folder.names.count == 1)
  }

  @Test("Data before the first and after the last boundary are ignored")
  func surroundings() throws {
    for chunk in [1, .max] {
      let form = try folder.read(
        Array("This is a form.\r\n".utf8) + Body.field("a", "b") + Body.end
          + Array("\r\n--X\r\nmore".utf8), chunk: chunk)
      #expect(form.pairs == [["a", "b"]])
    }
    #expect(try folder.read(Body.field("a", "b") + Array("--X--".utf8)).pairs == [["a", "b"]])
    #expect(try folder.read("--X--\r\n").pairs == [])
  }

  @Test("A boundary may have blanks behind it, and nothing else")
  func padding() throws {
    let part = "Content-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n"
    #expect(try folder.read("--X \t\r\n" + part + "--X--").pairs == [["a", "b"]])
    for broken in ["--XY\r\n", "--X-\r\n", "--X\n", "--X a\r\n"] {
      #expect(throws: FormError.malformed) { try folder.read(broken + part + "--X--\r\n") }
    }
  }

  @Test("A body that ends early is truncated, and leaves no file")
  func truncated() throws {
    let body = Body.field("a", "b") + Body.file("f", "a", Array(repeating: 7, count: 500))
    let whole = body + Array("--X--".utf8)
    for length in 0..<whole.count {
      #expect(throws: FormError.truncated) { try folder.read(Array(whole[..<length])) }
    }
    #expect(folder.names == [])
    #expect(try folder.read(whole).files.count == 1)
  }

  @Test("An error of the source is passed on, and leaves no file")
  func sourceFails() throws {
    struct Gone: Error {}
    let body = Body.file("f", "a", Array(repeating: 7, count: 500))
    var calls = 0
    #expect(throws: Gone.self) {
      _ = try MultipartForm.read(
        contentType: "multipart/form-data; boundary=X",
        limits: MultipartLimits(files: 1, fileBytes: 9999, allFilesBytes: 9999),
        directory: folder.path
      ) { buffer in
        calls += 1
        guard calls <= body.count else { throw Gone() }
        buffer[0] = body[calls - 1]
        return 1
      }
    }
    #expect(folder.names == [])
  }

  @Test("A folder that is not there is an error of the disk")
  func noFolder() throws {
    let body = Body.file("f", "a", [1]) + Body.end
    var sent = false
    #expect(throws: UploadError.self) {
      _ = try MultipartForm.read(
        contentType: "multipart/form-data; boundary=X",
        limits: MultipartLimits(files: 1, fileBytes: 9999, allFilesBytes: 9999),
        directory: folder.path + "/none"
      ) { buffer in
        guard !sent else { return 0 }
        sent = true
        buffer.copyBytes(from: body)
        return body.count
      }
    }
  }
}
