import Core
import Testing

@testable import Secrets

private enum Row {}

@Suite("Sealing")
struct KeyRingTests {
  private let ring = KeyRing(.random())
  private let row = ID<Row>.random()
  private let secret = Array("mei@example.test".utf8)

  private var place: AssociatedData { AssociatedData(table: "users", row: row, column: "email") }

  @Test("A sealed value opens in its context")
  func opens() throws {
    let sealed = try ring.seal(secret, for: place)
    #expect(sealed.count == secret.count + 32)
    #expect(try ring.open(sealed, for: place) == secret)
    #expect(try ring.open(try ring.seal([], for: place), for: place) == [])
  }

  @Test("The same value sealed twice looks different")
  func nonce() throws {
    #expect(try ring.seal(secret, for: place) != ring.seal(secret, for: place))
  }

  @Test("A value moved to another row, column or table does not open")
  func moved() throws {
    let sealed = try ring.seal(secret, for: place)
    for other in [
      AssociatedData(table: "users", row: ID<Row>.random(), column: "email"),
      AssociatedData(table: "users", row: row, column: "mail"),
      AssociatedData(table: "contacts", row: row, column: "email"),
    ] {
      #expect(throws: SealError.changedOrMoved) { try ring.open(sealed, for: other) }
    }
  }

  @Test("Names that run into each other are different places")
  func unambiguous() {
    let left = AssociatedData(table: "ab", row: row, column: "c")
    let right = AssociatedData(table: "a", row: row, column: "bc")
    #expect(left.associatedData != right.associatedData)
  }

  @Test("A value with any one bit changed does not open")
  func changed() throws {
    let sealed = try ring.seal(secret, for: place)
    for index in sealed.indices {
      var broken = sealed
      broken[index] ^= 1
      #expect(throws: SealError.self) { try ring.open(broken, for: place) }
    }
  }

  @Test("A value sealed by another instance says which key is missing")
  func unknownKey() throws {
    let sealed = try ring.seal(secret, for: place)
    let other = KeyRing(.random())
    let id = sealed.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    #expect(throws: SealError.unknownKey(id)) { try other.open(sealed, for: place) }
  }

  @Test("A value that is too short says so", arguments: [0, 4, 31])
  func tooShort(count: Int) {
    let bytes = [UInt8](repeating: 0, count: count)
    #expect(throws: SealError.tooShort) { try ring.open(bytes, for: place) }
  }

  @Test("After a new key became current, values sealed by the old one still open")
  func rotated() throws {
    let old = KeyFile.random()
    let new = KeyFile(
      encryption: KeySet(current: .random(), others: old.encryption.keys),
      lookup: KeySet(current: .random(), others: old.lookup.keys), derivation: old.derivation)
    let before = KeyRing(old)
    let after = KeyRing(new)
    let sealed = try before.seal(secret, for: place)
    #expect(try after.open(sealed, for: place) == secret)
    #expect(before.isCurrent(sealed))
    #expect(!after.isCurrent(sealed))
    #expect(after.isCurrent(try after.seal(secret, for: place)))
    #expect(after.lookupHash("a") != before.lookupHash("a"))
    #expect(after.lookupHashes("a") == [after.lookupHash("a"), before.lookupHash("a")])
  }

  @Test("A look-up hash is the same for the same text, and needs the key")
  func lookup() {
    #expect(ring.lookupHash("mei@example.test") == ring.lookupHash("mei@example.test"))
    #expect(ring.lookupHash("mei@example.test") != ring.lookupHash("jun@example.test"))
    #expect(ring.lookupHash("a") != KeyRing(.random()).lookupHash("a"))
    #expect(ring.lookupHash("a").count == 32)
  }

  @Test("Each purpose has a key of its own, the same at each start")
  func derived() {
    #expect(ring.derivedKey(purpose: "csrf") == ring.derivedKey(purpose: "csrf"))
    #expect(ring.derivedKey(purpose: "csrf") != ring.derivedKey(purpose: "cookies"))
    #expect(ring.derivedKey(purpose: "csrf").count == 32)
  }

  @Test("HMAC-SHA-256 follows test case 2 of RFC 4231")
  func hmac() {
    let code = Digests.hmac(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(
      Hex.text(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }
}
