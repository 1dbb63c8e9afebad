import Glibc

/// File access without Foundation.
enum Disk {
  struct Failure: Error { let text: String }

  static func put(_ bytes: [UInt8], _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(text: "cannot write \(path)") }
    defer { close(descriptor) }
    guard bytes.isEmpty || write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Failure(text: "cannot write all of \(path)")
    }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(text: "cannot read \(path)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(text: "cannot read \(path)") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard read(descriptor, &bytes, bytes.count) == bytes.count else {
      throw Failure(text: "cannot read all of \(path)")
    }
    return bytes
  }

  /// The JPEGs in a folder, in order; none if it doesn't exist.
  static func files(in folder: String) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".jpg") { names.append("\(folder)/\(name)") }
    }
    return names.sorted()
  }
}
