import HTTPTypes

/// The description of a call in the API document, besides what its types describe.
public struct Operation: Sendable {
  /// The groups of the document, in their order.
  public enum Tag: String, Sendable, CaseIterable {
    case signingIn = "Signing in"
    case account = "Account"
    case couples = "Couples"
    case posts = "Posts"
    case messages = "Messages"
    case moments = "Moments"
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
      /// One of these words; any other is answered with 422 before the handler runs.
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

  /// A response of a call that succeeded.
  public struct SuccessResponse: Sendable {
    let status: HTTPResponse.Status
    let note: String
    /// Nil for a response without a body.
    let contentType: String?
    let schema: JSONSchema?
    let example: JSON?

    /// A response that is not JSON: `SuccessResponse(.ok, "The picture.", contentType:
    /// "image/png")`.
    public init(_ status: HTTPResponse.Status, _ note: String, contentType: String? = nil) {
      self.status = status
      self.note = note
      self.contentType = contentType
      // Bytes have no type in JSON: an empty schema (OpenAPI 3.1, "Considerations for File Uploads"
      // and "Media Type Object").
      schema = contentType.map { type -> JSONSchema in
        let text: JSON = ["type": "string"]
        // For a stream, the schema describes the fields of an event.
        if type == "text/event-stream" {
          return JSONSchema(["type": "object", "properties": ["event": text, "data": text]])
        }
        return JSONSchema(type.hasPrefix("text/") ? text : [:])
      }
      example = nil
    }

    /// A response in JSON.
    public init(_ status: HTTPResponse.Status, _ note: String, json: any JSONType.Type) {
      self.status = status
      self.note = note
      contentType = "application/json"
      schema = json.jsonSchema
      example = json.jsonExample
    }
  }

  /// The input of a call.
  enum Input: Sendable {
    case nothing
    case query(any JSONRequest.Type)
    case json(any JSONRequest.Type)
    case form([Part])
  }

  /// How a call identifies its caller.
  public enum Proof: Sendable {
    /// As the route's access requires.
    case door
    /// By a refresh token, in `Authorization` or in the body.
    case refreshToken
  }

  let summary: String
  let tag: Tag
  let note: String?
  /// Errors beyond those that every call of its kind has.
  let errors: [APIErrorCode]
  /// The path parameters by name; "id" and names that end with "_id" are identifiers.
  let path: [String: String]
  let proof: Proof
  var input: Input = .nothing
  var answers: [SuccessResponse] = []

  /// - Parameters:
  ///   - summary: one line in English, as in "Like a post".
  ///   - note: further explanation.
  ///   - errors: the errors beyond those that follow from access, method and input.
  ///   - path: the meaning of each path parameter; "id" needs none.
  ///   - proof: how the caller is identified, if not by the route's access.
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
