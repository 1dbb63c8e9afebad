import Core
import HTTPTypes

/// What a form sent: fields in their order, and files on the disk.
public struct Form {
  public let fields: [(name: String, value: String)]
  /// Files that were sent; they are gone from the disk when the request is.
  public let files: [UploadedFile]
  /// Keeps the temporary files alive as long as the form.
  private let multipart: MultipartForm?

  public init(fields: [(name: String, value: String)]) {
    self.fields = fields
    files = []
    multipart = nil
  }

  init(multipart: MultipartForm) {
    fields = multipart.fields.map { ($0.name, $0.value) }
    files = multipart.files
    self.multipart = multipart
  }

  /// Whether the files were over the limit of all together, and so dropped.
  public var filesAreTooLargeTogether: Bool { multipart?.filesTooLargeTogether ?? false }

  /// Whether more files came than are taken; those behind were dropped.
  public var hasTooManyFiles: Bool { multipart?.tooManyFiles ?? false }

  /// The first value of a field, "" when it wasn't sent.
  public subscript(_ name: String) -> String {
    fields.first { $0.name == name }?.value ?? ""
  }

  /// Whether a field was sent at all: a tick box, a pressed button.
  public func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

  /// Every value of a field, in their order.
  public func all(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  /// What was typed, for showing it again.
  public var typed: FormFields { FormFields(fields) }
}

/// The fields of a form without its files: what a page shows again when something was wrong.
public struct FormFields: Sendable {
  private let fields: [(name: String, value: String)]

  public init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  /// The first value of a field, "" when it wasn't sent.
  public subscript(_ name: String) -> String {
    fields.first { $0.name == name }?.value ?? ""
  }

  /// Whether a field was sent at all.
  public func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
}
