import Testing

@testable import Secrets

@Suite("Keys of files")
struct FileKeyTests {
  private let keys = KeyRing(.random())
  private let place = AssociatedData(table: "things", column: "key")
  private let bytes = Array("A picture, for example".utf8)

  @Test("A file decrypts with its key and under its name only")
  func opens() throws {
    let key = FileKey.random()
    let file = try key.encrypt(bytes, named: "a/b.jpg")
    #expect(try key.decrypt(file, named: "a/b.jpg") == bytes)
    #expect(throws: SealError.changedOrMoved) { try key.decrypt(file, named: "a/c.jpg") }
    #expect(throws: SealError.changedOrMoved) {
      try FileKey.random().decrypt(file, named: "a/b.jpg")
    }
    #expect(try key.encrypt(bytes, named: "a/b.jpg") != file)
  }

  @Test("A file with any byte changed, cut off or added does not decrypt")
  func altered() throws {
    let key = FileKey.random()
    let file = try key.encrypt(bytes, named: "a")
    for index in file.indices {
      var bad = file
      bad[index] ^= 1
      #expect(throws: SealError.changedOrMoved) { try key.decrypt(bad, named: "a") }
    }
    for count in [0, 4, 31] {
      #expect(throws: SealError.tooShort) { try key.decrypt(Array(file[..<count]), named: "a") }
    }
    #expect(throws: SealError.changedOrMoved) {
      try key.decrypt(Array(file.dropLast()), named: "a")
    }
    #expect(throws: SealError.changedOrMoved) { try key.decrypt(file + [0], named: "a") }
  }

  @Test("An empty file is encrypted, too")
  func empty() throws {
    let key = FileKey.random()
    #expect(try key.decrypt(key.encrypt([], named: "a"), named: "a") == [])
  }

  @Test("The sealed key opens its files, in its place only, and after a rotation")
  func sealed() throws {
    let key = FileKey.random()
    let file = try key.encrypt(bytes, named: "a")
    let sealed = try key.sealed(for: place, with: keys)
    let again = try FileKey(sealed, for: place, with: keys)
    #expect(try again.decrypt(file, named: "a") == bytes)
    let other = AssociatedData(table: "things", column: "other")
    #expect(throws: SealError.changedOrMoved) { try FileKey(sealed, for: other, with: keys) }
    let (extended, newest) = keys.addingKeys()
    let rotated = try #require(extended.withCurrent(newest))
    let resealed = try rotated.seal(rotated.open(sealed, for: place), for: place)
    #expect(rotated.isCurrent(resealed))
    #expect(try FileKey(resealed, for: place, with: rotated).decrypt(file, named: "a") == bytes)
  }

  @Test("A sealed value of another length is no key")
  func length() throws {
    let sealed = try keys.seal([1, 2, 3], for: place)
    #expect(throws: SealError.changedOrMoved) { try FileKey(sealed, for: place, with: keys) }
  }
}
