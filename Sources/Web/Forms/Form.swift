import Core
import HTTPTypes

/// A submitted form: fields in order, and files on disk.
public struct Form {
  public let fields: [(name: String, value: String)]
  /// The uploaded files; they are deleted with the request.
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

  /// Whether the files together were over the limit and were dropped.
  public var filesAreTooLargeTogether: Bool { multipart?.filesTooLargeTogether ?? false }

  /// Whether more files came than are accepted; the rest were dropped.
  public var hasTooManyFiles: Bool { multipart?.tooManyFiles ?? false }

  /// The first value of a field, "" if it wasn't sent.
  public subscript(_ name: String) -> String {
    fields.first { $0.name == name }?.value ?? ""
  }

  /// Whether a field was sent: a checkbox, a pressed button.
  public func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

  /// Every value of a field, in order.
  public func all(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  /// The fields, for showing them again.
  public var entered: FormFields { FormFields(fields) }
}

/// The fields of a form without its files, for showing the form again after an error.
public struct FormFields: Sendable {
  private let fields: [(name: String, value: String)]

  public init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  /// The first value of a field, "" if it wasn't sent.
  public subscript(_ name: String) -> String {
    fields.first { $0.name == name }?.value ?? ""
  }

  /// Whether a field was sent.
  public func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

  /// The fields with another value of one of them.
  public func with(_ name: String, _ value: String) -> FormFields {
    FormFields(fields.filter { $0.name != name } + [(name, value)])
  }
}
