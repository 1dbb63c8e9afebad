import Foundation
import Testing

@testable import Web

@Suite("Limits of forms with files")
struct MultipartLimitsTests {
  private let folder: MultipartFolder

  init() throws {
    folder = try MultipartFolder()
  }

  private static func bytes(_ count: Int) -> [UInt8] {
    Array(repeating: 0x61, count: count)
  }

  @Test("A file over the limit is dropped, and the words around it are kept")
  func oneTooLarge() throws {
    let limits = MultipartLimits(files: 9, fileBytes: 1000, allFilesBytes: 100_000)
    let body =
      Body.field("content", "before") + Body.file("images", "a.jpg", Self.bytes(1000))
      + Body.file("images", "b.jpg", Self.bytes(1001)) + Body.file("images", "c.jpg", [1])
      + Body.field("visibility", "after") + Body.end
    for chunk in [1, 900, .max] {
      let form = try folder.read(body, chunk: chunk, limits: limits)
      #expect(form.pairs == [["content", "before"], ["visibility", "after"]])
      #expect(form.files.map(\.tooLarge) == [false, true, false])
      #expect(form.files.map(\.bytes) == [1000, 1001, 1])
      #expect(form.files[1].path == "")
      #expect(folder.names.count == 2)
      #expect(!form.filesTooLargeTogether)
    }
  }

  @Test("Files over the limit of all together are dropped, and the words are kept")
  func allTooLarge() throws {
    let limits = MultipartLimits(files: 9, fileBytes: 1000, allFilesBytes: 1500)
    let form = try folder.read(
      Body.file("images", "a", Self.bytes(800)) + Body.file("images", "b", Self.bytes(700))
        + Body.file("images", "c", Self.bytes(1)) + Body.field("content", "kept") + Body.end,
      limits: limits)
    #expect(form.files.map(\.tooLarge) == [false, false, true])
    #expect(form.filesTooLargeTogether)
    #expect(form.pairs == [["content", "kept"]])
    #expect(folder.names.count == 2)
  }

  @Test("Files beyond the number are dropped, and the words are kept")
  func tooMany() throws {
    let limits = MultipartLimits(files: 2, fileBytes: 1000, allFilesBytes: 1500)
    let form = try folder.read(
      Body.file("f", "a", [1]) + Body.file("f", "b", [2]) + Body.file("f", "", [])
        + Body.file("f", "c", [3]) + Body.field("content", "kept") + Body.end, limits: limits)
    #expect(form.files.map(\.fileName) == ["a", "b"])
    #expect(form.tooManyFiles)
    #expect(form.pairs == [["content", "kept"]])
    #expect(folder.names.count == 2)
  }

  @Test("Inputs without a file do not count as files")
  func emptyInputs() throws {
    let limits = MultipartLimits(files: 0, fileBytes: 1000, allFilesBytes: 1500)
    let form = try folder.read(Body.file("f", "", []) + Body.end, limits: limits)
    #expect(!form.tooManyFiles)
  }

  @Test("A thousand fields are read, one more is refused")
  func fields() throws {
    let thousand = Array((0..<1000).map { Body.field("f\($0)", "v") }.joined())
    #expect(try folder.read(thousand + Body.end).fields.count == 1000)
    #expect(throws: FormError.tooManyFields) {
      try folder.read(thousand + Body.field("more", "") + Body.end)
    }
  }

  @Test("A thousand and one inputs for files are refused, be they empty")
  func fileInputs() throws {
    let many = Array((0..<1001).map { _ in Body.file("f", "", []) }.joined())
    #expect(throws: FormError.tooManyFields) { try folder.read(many + Body.end) }
  }

  @Test("A name of 256 bytes is read, of one more refused")
  func names() throws {
    let name = String(repeating: "n", count: 256)
    #expect(try folder.read(Body.field(name, "v") + Body.end).fields[0].name == name)
    #expect(throws: FormError.nameTooLong) {
      try folder.read(Body.field(name + "n", "v") + Body.end)
    }
    #expect(throws: FormError.nameTooLong) {
      try folder.read(Body.file(name + "n", "f", [1]) + Body.end)
    }
  }

  @Test("Names and values of one mebibyte are read, of one byte more refused")
  func values() throws {
    let value = String(repeating: "v", count: 65_535)
    let body = (1...15).reduce(Body.field("a", value)) { all, _ in all + Body.field("a", value) }
    #expect(try folder.read(body + Body.end).fields.count == 16)
    #expect(throws: FormError.fieldTooLong) {
      try folder.read(Body.field("a", value + "vv") + Body.end)
    }
    #expect(throws: FormError.tooLarge) { try folder.read(body + Body.field("c", "") + Body.end) }
  }

  @Test("A head of eight kibibytes is read, a longer one refused")
  func heads() throws {
    func body(_ padding: Int) -> String {
      "--X\r\nX-Padding: \(String(repeating: "p", count: padding))\r\n"
        + "Content-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--X--\r\n"
    }
    #expect(try folder.read(body(8000)).pairs == [["a", "b"]])
    #expect(throws: FormError.tooLarge) { try folder.read(body(8192)) }
    let manyLines = String(repeating: "a: b\r\n", count: 2000)
    #expect(throws: FormError.tooLarge) { try folder.read("--X\r\n" + manyLines) }
    #expect(throws: FormError.tooLarge) {
      try folder.read("--X\r\n" + String(repeating: "p", count: 200_000))
    }
  }
}
