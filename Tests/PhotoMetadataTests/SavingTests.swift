import Core
import Foundation
import Testing

@testable import PhotoMetadata

@Suite("Saving loses nothing")
struct SavingTests {
  private func failure(_ work: () throws(PhotoError) -> Void) -> PhotoError? {
    do throws(PhotoError) {
      try work()
      return nil
    } catch {
      return error
    }
  }

  @Test("A photo is replaced, or gets a second file under a free name, readable by us alone")
  func both() throws {
    let service = try PhotoFolder()
    let source = try service.put(Handmade.jpeg(Handmade.jfif))
    let story = try PhotoStory("故事")
    try PhotoFile.write(story, into: source, as: service.path("copy"))
    #expect(try service.bytes("photo") == Handmade.jpeg(Handmade.jfif))
    try PhotoFile.write(story, into: source, as: source)
    #expect(try service.bytes("photo") == service.bytes("copy"))
    #expect(try PhotoFile.read(source).story == "故事")
    let mode = try FileManager.default.attributesOfItem(atPath: source)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    try PhotoFile.strip(source, as: source)
    #expect(try PhotoFile.read(source).story == nil)
    #expect(service.names == ["copy", "photo"])
  }

  @Test("A file with the taken name is unchanged")
  func taken() throws {
    let service = try PhotoFolder()
    let source = try service.put(Handmade.png())
    try service.put([1, 2, 3], "other")
    #expect(
      failure { () throws(PhotoError) in try PhotoFile.strip(source, as: service.path("other")) }
        == .write(.nameTaken))
    #expect(try service.bytes("other") == [1, 2, 3])
    #expect(service.names == ["other", "photo"])
  }

  @Test("A file that does not read back as it should is thrown away")
  func verification() throws {
    let service = try PhotoFolder()
    let original = Handmade.jpeg(Handmade.jfif)
    let source = try service.put(original)
    let story = try PhotoStory("story")
    let damages: [(inout [UInt8]) -> Void] = [
      { $0.removeLast(2) }, { $0[$0.count - 4] ^= 1 }, { $0 = [] }, { $0 += [0] },
      { $0.replaceSubrange(2..<20, with: []) }, { $0[$0.count / 3] ^= 0x20 },
    ]
    for (index, damage) in damages.enumerated() {
      let error = failure { () throws(PhotoError) in
        try PhotoFile.save(story, source, source) { path in
          var bytes = [UInt8]((try? Data(contentsOf: URL(filePath: path))) ?? Data())
          damage(&bytes)
          try? Data(bytes).write(to: URL(filePath: path))
        }
      }
      #expect(error == .write(.verificationFailed), "\(index)")
      #expect(try service.bytes("photo") == original)
    }
    #expect(service.names == ["photo"])
  }

  @Test("Two writers: the second gets an error that the photo is locked")
  func locked() throws {
    let service = try PhotoFolder()
    let source = try service.put(Handmade.jpeg())
    var inner: PhotoError?
    try PhotoFile.save(PhotoStory("first"), source, source) { _ in
      inner = failure { () throws(PhotoError) in try PhotoFile.strip(source, as: source) }
    }
    #expect(inner == .write(.locked))
    #expect(try PhotoFile.read(source).story == "first")
  }

  @Test("An unreadable file is reported as such")
  func unreadable() throws {
    let service = try PhotoFolder()
    #expect(
      failure { () throws(PhotoError) in _ = try PhotoFile.read(service.path("none")) }
        == .read(.missing))
    #expect(
      failure { () throws(PhotoError) in _ = try PhotoFile.read(service.folder) }
        == .read(.failed("not a file")))
    try FileManager.default.createSymbolicLink(
      atPath: service.path("link"), withDestinationPath: "/etc/passwd")
    #expect(
      failure { () throws(PhotoError) in _ = try PhotoFile.read(service.path("link")) } != nil)
    let large = try service.put([], "large")
    try #require(truncate(large, PhotoLimits.bytes + 1) == 0)
    #expect(
      failure { () throws(PhotoError) in _ = try PhotoFile.identify(large) }
        == .read(.tooManyBytes))
  }

  @Test("Three hundred saves in a row don't make the file grow, in any script")
  func growth() throws {
    let service = try PhotoFolder()
    for (name, source) in [("a.jpg", Handmade.jpeg(Handmade.jfif)), ("a.png", Handmade.png())] {
      let path = try service.put(source, name)
      var sizes: [Int: Set<Int>] = [:]
      for round in 0..<300 {
        let text = ["字", "é", "👨‍👩‍👧‍👦"][round % 3]
        let story = try PhotoStory(String(repeating: text, count: 300))
        try PhotoFile.write(story, into: path, as: path)
        sizes[round % 3, default: []].insert(try service.bytes(name).count)
      }
      #expect(sizes.values.allSatisfy { $0.count == 1 })
      try PhotoFile.strip(path, as: path)
      #expect(try service.bytes(name).count == saved(nil, source).count)
    }
  }

  @Test("Leftovers of saves that were killed go, others' files and running saves stay")
  func cleanup() throws {
    let service = try PhotoFolder()
    for name in [".a.1.saving", "b.saving", ".c"] { try service.put([1], name) }
    PhotoFile.removeOrphans(in: service.folder, olderThan: Instant(date: Date() - 60))
    #expect(service.names.count == 3)
    PhotoFile.removeOrphans(in: service.folder, olderThan: Instant(date: Date() + 60))
    #expect(service.names == [".c", "b.saving"])
  }
}
