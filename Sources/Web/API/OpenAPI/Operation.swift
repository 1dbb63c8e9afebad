import HTTPTypes

/// What the document says of a call, besides what its types say.
public struct Operation: Sendable {
  /// The groups of the document, in their order.
  public enum Tag: String, Sendable, CaseIterable {
    case signingIn = "Signing in"
    case account = "Account"
    case couples = "Couples"
    case posts = "Posts"
    case wallet = "Wallet"
    case notices = "Notices"
    case checkIn = "Check-in"
    case album = "Album"
    case workouts = "Workouts"
    case groups = "Groups"
    case document = "This document"
  }

  /// A part of a form with files.
  public struct Part: Sendable {
    public enum Kind: Sendable {
      case text
      /// One of these words; anything else is 422 before the handler is asked.
      case choice([String])
      case texts
      case file
      case files
    }

    let name: String
    let kind: Kind
    let isRequired: Bool
    let note: String?

    public init(_ name: String, _ kind: Kind, isRequired: Bool = false, note: String? = nil) {
      self.name = name
      self.kind = kind
      self.isRequired = isRequired
      self.note = note
    }
  }

  /// One of the answers of a call that went well.
  public struct SuccessResponse: Sendable {
    let status: HTTPResponse.Status
    let note: String
    /// Nil for an answer without a body.
    let contentType: String?
    let schema: JSONSchema?
    let example: JSON?

    /// An answer that is no JSON: `SuccessResponse(.ok, "The picture.", contentType: "image/png")`.
    public init(_ status: HTTPResponse.Status, _ note: String, contentType: String? = nil) {
      self.status = status
      self.note = note
      self.contentType = contentType
      // Bytes have no type in JSON: an empty schema (OpenAPI 3.1, "Considerations for File Uploads"
      // and "Media Type Object").
      schema = contentType.map { type -> JSONSchema in
        let text: JSON = ["type": "string"]
        // Of a stream each event is described, by its fields.
        if type == "text/event-stream" {
          return JSONSchema(["type": "object", "properties": ["event": text, "data": text]])
        }
        return JSONSchema(type.hasPrefix("text/") ? text : [:])
      }
      example = nil
    }

    /// An answer in JSON.
    public init(_ status: HTTPResponse.Status, _ note: String, json: any JSONType.Type) {
      self.status = status
      self.note = note
      contentType = "application/json"
      schema = json.jsonSchema
      example = json.jsonExample
    }
  }

  /// What a call reads.
  enum Input: Sendable {
    case nothing
    case query(any JSONRequest.Type)
    case json(any JSONRequest.Type)
    case form([Part])
  }

  /// How a call is told who calls.
  public enum Proof: Sendable {
    /// As its route's door asks.
    case door
    /// By a refresh token, in `Authorization` or in the body.
    case refreshToken
  }

  let summary: String
  let tag: Tag
  let note: String?
  /// Errors beyond those that every call of its kind has.
  let errors: [APIErrorCode]
  /// What stands in the path, by name; "id" and names that end with "_id" are identifiers.
  let path: [String: String]
  let proof: Proof
  var input: Input = .nothing
  var answers: [SuccessResponse] = []

  /// - Parameters:
  ///   - summary: one line in English, as in "Like a post".
  ///   - note: what else there is to know.
  ///   - errors: what it may answer beyond the errors that follow from its door, its method and
  ///     its input.
  ///   - path: what each parameter of the path is; "id" need not be told.
  ///   - proof: what shows who calls, where that isn't the door's to ask.
  public init(
    _ summary: String, _ tag: Tag, note: String? = nil, errors: [APIErrorCode] = [],
    path: [String: String] = [:], proof: Proof = .door
  ) {
    self.summary = summary
    self.tag = tag
    self.note = note
    self.errors = errors
    self.path = path
    self.proof = proof
  }
}
