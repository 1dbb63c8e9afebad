import Core

/// Parses the parts of a body one after the other.
struct MultipartParser {
  /// The maximum number of file inputs, empty ones included.
  private static let maximumFileParts = 1000
  /// Blanks allowed after a boundary (RFC 2046, section 5.1.1, "transport-padding").
  private static let maximumPadding = 64

  private let buffer: MultipartBuffer
  private let limits: MultipartLimits
  private let store: MultipartFiles
  private var fields: [(name: String, value: String)] = []
  private var fieldBytes = 0
  private var files: [UploadedFile] = []
  private var fileParts = 0
  private var allFilesBytes = 0
  private var tooManyFiles = false
  private var filesTooLargeTogether = false

  init(buffer: MultipartBuffer, limits: MultipartLimits, store: MultipartFiles) {
    self.buffer = buffer
    self.limits = limits
    self.store = store
  }

  /// Parses all parts. Throws `FormError`, `UploadError` and the errors of the source.
  mutating func parse() throws -> MultipartForm {
    try buffer.upToBoundary { _ in }
    while try hasPart() {
      let head = try readHead()
      guard head.name.utf8.count <= limits.nameBytes else { throw FormError.nameTooLong }
      if let fileName = head.fileName {
        try readFile(head, fileName)
      } else {
        try readField(head)
      }
    }
    try buffer.drain()
    return MultipartForm(
      fields: fields, files: files, tooManyFiles: tooManyFiles,
      filesTooLargeTogether: filesTooLargeTogether, store: store)
  }

  /// Reads the bytes after a boundary: a line end before a part, two hyphens at the end of the
  /// body.
  private func hasPart() throws -> Bool {
    if try buffer.skip(Array("--".utf8)) { return false }
    let padding = try buffer.line(limit: Self.maximumPadding)
    guard padding.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { throw FormError.malformed }
    return true
  }

  private func readHead() throws -> MultipartHead {
    var lines: [[UInt8]] = []
    var left = limits.headBytes
    while true {
      let line = try buffer.line(limit: left)
      if line.isEmpty { return try MultipartHead(lines: lines) }
      left = max(0, left - line.count - 2)
      lines.append(line)
    }
  }

  private mutating func readField(_ head: MultipartHead) throws {
    guard fields.count < limits.fields else { throw FormError.tooManyFields }
    var value: [UInt8] = []
    try count(head.name.utf8.count)
    try buffer.upToBoundary { piece in
      try count(piece.count)
      guard value.count + piece.count <= limits.field.bytes else { throw FormError.fieldTooLong }
      value.append(contentsOf: piece)
    }
    guard let text = String(validating: value, as: UTF8.self), text.isQuickToNormalise else {
      throw FormError.malformed
    }
    guard limits.field.bound(text) else { throw FormError.fieldTooLong }
    fields.append((head.name, text))
  }

  private mutating func count(_ bytes: Int) throws(FormError) {
    fieldBytes += bytes
    guard fieldBytes <= limits.fieldBytes else { throw .tooLarge }
  }

  private mutating func readFile(_ head: MultipartHead, _ fileName: String) throws {
    fileParts += 1
    guard fileParts <= Self.maximumFileParts else { throw FormError.tooManyFields }
    var file: MultipartFile?
    var bytes = 0
    var tooLarge = false
    let isOneTooMany = files.count >= limits.files
    try buffer.upToBoundary { piece in
      bytes += piece.count
      guard !tooLarge && !isOneTooMany else { return }
      if bytes > limits.fileBytes || allFilesBytes + bytes > limits.allFilesBytes {
        filesTooLargeTogether = filesTooLargeTogether || bytes <= limits.fileBytes
        tooLarge = true
        // A large upload must not fill the disk only to be rejected.
        if let begun = file { store.remove(begun) }
        file = nil
        return
      }
      let open = try file ?? store.make()
      file = open
      try open.append(piece)
    }
    guard bytes > 0 || !fileName.isEmpty else { return }
    guard !isOneTooMany else {
      tooManyFiles = true
      return
    }
    if !tooLarge { allFilesBytes += bytes }
    let path = tooLarge ? "" : try (file ?? store.make()).path
    files.append(
      UploadedFile(
        fieldName: head.name, fileName: fileName, contentType: head.contentType, path: path,
        bytes: bytes, tooLarge: tooLarge))
  }
}
