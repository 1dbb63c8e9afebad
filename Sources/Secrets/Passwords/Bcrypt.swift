import Ccrypt
import Glibc

/// bcrypt of libxcrypt, variant `$2b$`.
enum Bcrypt {
  /// The hash of a password without NUL, with a new salt; nil if the library fails.
  static func hash(_ password: [UInt8], cost: Int) -> String? {
    let random = RandomBytes.make(16)
    var setting = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
    let space = Int32(setting.count)
    let made = random.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        crypt_gensalt_rn(
          "$2b$", UInt(cost), characters.baseAddress, Int32(characters.count), &setting, space
        )
        .map { String(cString: $0) }
      }
    }
    guard let made else { return nil }
    return hash(password, setting: made)
  }

  /// The hash of a password with the cost and salt of `setting`, which may be a complete hash; nil
  /// if the library fails.
  static func hash(_ password: [UInt8], setting: String) -> String? {
    // 32 KB, too much for the stack of a handler thread; wiped, since it contains the password.
    let size = MemoryLayout<crypt_data>.size
    guard let work = calloc(1, size) else { return nil }
    defer {
      explicit_bzero(work, size)
      free(work)
    }
    var phrase = password.map { CChar(bitPattern: $0) } + [0]
    defer {
      phrase.withUnsafeMutableBytes { buffer in
        if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
      }
    }
    guard let output = crypt_rn(phrase, setting, work, Int32(size)) else { return nil }
    return String(cString: output)
  }
}
