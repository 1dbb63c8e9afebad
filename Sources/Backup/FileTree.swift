import Glibc

/// The files and folders below a folder.
struct FileTree {
  /// Paths below it, in their order.
  private(set) var files: [String] = []
  private(set) var folders: [String] = []
  /// Links, sockets and what else is neither.
  private(set) var others: [String] = []

  /// Reads it; one that isn't there has nothing. What goes away meanwhile is left out. Throws
  /// `BackupProblem`.
  init(_ root: String) throws {
    try walk(root, "")
    files.sort()
    folders.sort()
  }

  private mutating func walk(_ root: String, _ below: String) throws {
    let path = below.isEmpty ? root : "\(root)/\(below)"
    guard let stream = opendir(path) else {
      if errno == ENOENT { return }
      throw BackupProblem.system(path)
    }
    defer { closedir(stream) }
    var deeper: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
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
