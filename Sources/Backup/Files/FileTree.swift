import Core
import Glibc

/// The files and folders below a folder.
struct FileTree {
  /// Sorted paths below the folder.
  private(set) var files: [String] = []
  private(set) var folders: [String] = []
  /// Links, sockets and other entries, and names that a manifest can't hold: in a printable form.
  private(set) var others: [String] = []

  /// Reads the tree; a missing folder is empty. Entries deleted during the reading are left out.
  /// Throws `BackupError`.
  init(_ root: String) throws {
    try walk(root, "")
    files.sort()
    folders.sort()
  }

  /// Whether a manifest can hold a name. PairSpot creates no other names.
  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private mutating func walk(_ root: String, _ below: String) throws {
    let path = below.isEmpty ? root : "\(root)/\(below)"
    guard let stream = opendir(path) else {
      if errno == ENOENT { return }
      throw BackupError.system(path)
    }
    defer { closedir(stream) }
    var deeper: [String] = []
    // Names with different bytes may be equal texts ("é" has two encodings).
    var seen: Set<String> = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes == Array(".".utf8) || bytes == Array("..".utf8) { continue }
      guard let name = String(validating: bytes, as: UTF8.self), Self.isPlain(name),
        seen.insert(name).inserted
      else {
        let shown = String(decoding: bytes, as: UTF8.self).asOneLine
        others.append(below.isEmpty ? shown : "\(below)/\(shown)")
        continue
      }
      let one = below.isEmpty ? name : "\(below)/\(name)"
      var status = stat()
      guard lstat("\(root)/\(one)", &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG: files.append(one)
      case S_IFDIR: deeper.append(one)
      default: others.append(one)
      }
    }
    for one in deeper {
      folders.append(one)
      try walk(root, one)
    }
  }
}
