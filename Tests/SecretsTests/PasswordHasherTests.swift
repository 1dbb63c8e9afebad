import Glibc
import Secrets
import Testing

@Suite("Hashing passwords")
struct PasswordHasherTests {
  private static let key = [UInt8](repeating: 7, count: 32)

  private static func hasher(cost: Int = 4) throws -> PasswordHasher {
    try PasswordHasher(key: key, cost: cost, concurrent: 2, waiting: 8)
  }

  /// CPU time of this thread, in ns; excludes other load of the machine.
  private static func worked() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  @Test("A password verifies against its own hash and no other does")
  func roundTrip() throws {
    let hasher = try Self.hasher()
    let hash = try hasher.hash("correct horse")
    #expect(hash.hasPrefix("{sha384}$2b$04$"))
    #expect(hash.utf8.count == 68)
    #expect(try hasher.verify("correct horse", against: hash))
    #expect(try !hasher.verify("correct Horse", against: hash))
  }

  @Test("The default cost is 12")
  func cost() throws {
    #expect(
      try PasswordHasher(key: Self.key, waiting: 1).hash("correct horse").hasPrefix(
        "{sha384}$2b$12$"))
  }

  @Test("The same password hashed twice has two salts")
  func salted() throws {
    let hasher = try Self.hasher()
    #expect(try hasher.hash("correct horse") != hasher.hash("correct horse"))
  }

  @Test(
    "The known answers of bcrypt hold",
    arguments: [
      ("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
      ("U*U*", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
      ("U*U*U", "$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
      ("", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
    ])
  func knownAnswers(password: String, hash: String) throws {
    #expect(try Self.hasher().verify(password, against: hash))
  }

  @Test("Composed and decomposed characters are the same password")
  func normalised() throws {
    let hasher = try Self.hasher()
    #expect(try hasher.verify("re\u{301}sume\u{301}!", against: hasher.hash("r\u{E9}sum\u{E9}!")))
  }

  @Test("Every character of 64 counts, in any script", arguments: ["x", "山", "é", "🦊"])
  func long(character: String) throws {
    let hasher = try Self.hasher()
    let longest = String(repeating: character, count: 64)
    let hash = try hasher.hash(longest)
    #expect(try hasher.verify(longest, against: hash))
    #expect(try !hasher.verify(String(longest.dropLast()) + "y", against: hash))
    #expect(try !hasher.verify(longest + "y", against: hash))
  }

  @Test("A hash of before verifies up to its 72 bytes and never beyond")
  func old() throws {
    let hasher = try Self.hasher()
    let longest = String(repeating: "x", count: 72)
    // Made by libxcrypt's crypt(3).
    let hash = "$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i"
    #expect(try hasher.verify(longest, against: hash))
    #expect(try !hasher.verify(longest + "y", against: hash))
  }

  @Test("An invalid password is refused, and never verifies")
  func unusable() throws {
    let hasher = try Self.hasher()
    let tooLong = String(repeating: "x", count: PasswordRules.maximumBytes + 1)
    let hash = try hasher.hash("abcdefgh")
    #expect(throws: PasswordHashingError.unusable) { try hasher.hash(tooLong) }
    #expect(throws: PasswordHashingError.unusable) { try hasher.hash("abcdefgh\0i") }
    #expect(try !hasher.verify(tooLong, against: hash))
    #expect(try !hasher.verify("abcdefgh\0i", against: hash))
  }

  @Test("A hash made with another key verifies nothing")
  func otherKey() throws {
    let other = try PasswordHasher(key: [1], cost: 4, waiting: 8)
    #expect(try !other.verify("correct horse", against: Self.hasher().hash("correct horse")))
  }

  @Test("Codes hashed together have one salt, and a typed one is found among them")
  func codes() throws {
    let hasher = try Self.hasher()
    let hashes = try hasher.hashes(codes: ["one", "two"])
    #expect(Set(hashes.map { $0.prefix(37) }).count == 1 && hashes[0] != hashes[1])
    #expect(try hasher.hashes(codes: ["two"], like: hashes[0]) == [hashes[1]])
    #expect(try hasher.verify("one", against: hashes[0]))
    #expect(try hasher.hashes(codes: ["one"]) != [hashes[0]])
  }

  @Test("A code costs less work than a password")
  func codeCost() throws {
    let hasher = try PasswordHasher(key: Self.key, cost: 11, waiting: 8)
    #expect(try hasher.hash(code: "one").hasPrefix("{sha384}$2b$10$"))
  }

  @Test("A stored hash of another format is an error", arguments: ["", "*0", "$1$abc$def"])
  func broken(hash: String) throws {
    let hasher = try Self.hasher()
    #expect(throws: PasswordHashingError.brokenHash) {
      try hasher.verify("correct horse", against: hash)
    }
  }

  @Test("No hash is computed before there is a password")
  func begins() throws {
    // Half a million times the work of a sign-in: days.
    let hasher = try PasswordHasher(key: Self.key, cost: 31, waiting: 1)
    #expect(throws: PasswordHashingError.brokenHash) { try hasher.verify("x", against: "y") }
    #expect(throws: PasswordHashingError.unusable) {
      try PasswordHasher(key: Self.key, cost: 3, waiting: 1)
    }
  }

  @Test("Without a hash the answer is no, and takes as much work as with one")
  func sameTime() throws {
    let hasher = try Self.hasher(cost: 8)
    let hash = try hasher.hash("correct horse")
    func least(_ hash: String?) throws -> Double {
      try (0..<7).map { _ in
        let start = Self.worked()
        let verified = try hasher.verify("wrong horse", against: hash)
        #expect(!verified)
        return Self.worked() - start
      }.min() ?? 0
    }
    let (known, unknown) = (try least(hash), try least(nil))
    #expect(unknown > known * 0.5 && unknown < known * 2)
  }
}
