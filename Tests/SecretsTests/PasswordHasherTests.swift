import Glibc
import Secrets
import Testing

@Suite("Hashing passwords")
struct PasswordHasherTests {
  private static func hasher(cost: Int = 4) throws -> PasswordHasher {
    try PasswordHasher(cost: cost, concurrent: 2, waiting: 8)
  }

  /// What this thread has worked, in ns: others on the machine don't count.
  private static func worked() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  @Test("A password verifies against its own hash and no other does")
  func roundTrip() throws {
    let hasher = try Self.hasher()
    let hash = try hasher.hash("correct horse")
    #expect(hash.hasPrefix("$2b$04$"))
    #expect(hash.utf8.count == 60)
    #expect(try hasher.verify("correct horse", against: hash))
    #expect(try !hasher.verify("correct Horse", against: hash))
  }

  @Test("The default cost is 12")
  func cost() throws {
    #expect(try PasswordHasher(waiting: 1).hash("correct horse").hasPrefix("$2b$12$"))
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

  @Test("Composed and decomposed letters are the same password")
  func normalised() throws {
    let hasher = try Self.hasher()
    #expect(try hasher.verify("re\u{301}sume\u{301}!", against: hasher.hash("r\u{E9}sum\u{E9}!")))
  }

  @Test("What bcrypt would cut off is refused, and never verifies")
  func unusable() throws {
    let hasher = try Self.hasher()
    let longest = String(repeating: "x", count: 72)
    let hash = try hasher.hash(longest)
    #expect(throws: PasswordHashingError.unusable) { try hasher.hash(longest + "y") }
    #expect(throws: PasswordHashingError.unusable) { try hasher.hash("abcdefgh\0i") }
    #expect(try !hasher.verify(longest + "y", against: hash))
    #expect(try !hasher.verify("abcdefgh\0i", against: hasher.hash("abcdefgh")))
  }

  @Test("A stored hash that is not ours is an error", arguments: ["", "*0", "$1$abc$def"])
  func broken(hash: String) throws {
    let hasher = try Self.hasher()
    #expect(throws: PasswordHashingError.brokenHash) {
      try hasher.verify("correct horse", against: hash)
    }
  }

  @Test("Nothing is hashed before somebody has a password")
  func begins() throws {
    // 16 times the work of a sign-in: several seconds.
    let start = Self.worked()
    let hasher = try PasswordHasher(cost: 16, waiting: 1)
    #expect(Self.worked() - start < 1e9)
    #expect(throws: PasswordHashingError.brokenHash) { try hasher.verify("x", against: "y") }
    #expect(throws: PasswordHashingError.unusable) { try PasswordHasher(cost: 3, waiting: 1) }
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
