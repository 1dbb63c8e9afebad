import Foundation
import HTTPTypes
import Testing

@testable import App

/// Two couples, Ann and Ben, Cy and Di, and Sam, who is alone.
struct MessageScenario {
  let instance: TestInstance
  let ann, ben, cy, di, sam: TestClient

  init(limits: Bool = false, hasFilmPrograms: Bool = true) throws {
    instance = try TestInstance(limits: limits, hasFilmPrograms: hasFilmPrograms)
    try instance.couple()
    try instance.couple("Cy & Di", "cy", "di")
    try instance.alone("sam")
    ann = try instance.signedIn("ann")
    ben = try instance.signedIn("ben")
    cy = try instance.signedIn("cy")
    di = try instance.signedIn("di")
    sam = try instance.signedIn("sam")
  }

  /// Lets the two couples follow each other.
  func followEachOther() throws {
    try #require(ann.post("/couples/\(cy.coupleID())/follow").status == 303)
    try #require(cy.post("/couples/\(ann.coupleID())/follow").status == 303)
  }

  /// The conversation of Ann and Ben with Cy and Di after a first message of Ann's.
  func talking() throws -> String {
    try followEachOther()
    let first = try ann.writeTo(cy.coupleID(), "Hello")
    try #require(first.status == 201, "\(first.text)")
    return try #require(ann.conversations().first { $0 != (try? ann.coupleID()) })
  }
}

extension TestClient {
  func coupleID() throws -> String {
    try #require(call(.get, "/account").json["couple_id"] as? String)
  }

  /// Sends a message to a conversation by the API.
  @discardableResult
  func message(
    _ text: String, to conversation: String, client: String = UUID().uuidString,
    quoted: String? = nil, pictures: [[UInt8]] = [], descriptions: [String] = [],
    voice: [UInt8]? = nil
  ) -> TestResponse {
    var body: [UInt8] = []
    var fields = [("client_id", client), ("text", text)]
    if let quoted { fields.append(("quoted_id", quoted)) }
    fields += descriptions.map { ("descriptions[]", $0) }
    for (name, value) in fields {
      body += Array(
        "--end\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    for picture in pictures {
      body += Self.filePart("pictures[]", "a.png", "image/png", picture)
    }
    if let voice { body += Self.filePart("voice", "a.wav", "audio/wav", voice) }
    body += Array("--end--\r\n".utf8)
    return send(
      .post, "/api/v1/conversations/\(conversation)/messages",
      headers: [
        .contentType: "multipart/form-data; boundary=end", .csrfToken: freshToken(),
      ], body: body)
  }

  private static func filePart(
    _ field: String, _ file: String, _ type: String, _ bytes: [UInt8]
  ) -> [UInt8] {
    let head = """
      --end\r\nContent-Disposition: form-data; name="\(field)"; filename="\(file)"\r\n\
      Content-Type: \(type)\r\n\r\n
      """
    return Array(head.utf8) + bytes + Array("\r\n".utf8)
  }

  /// Writes to a couple by the API.
  @discardableResult
  func writeTo(
    _ couple: String, _ text: String, client: String = UUID().uuidString
  ) throws -> TestResponse {
    call(
      .post, "/conversations",
      #"{"couple_id":"\#(couple)","client_id":"\#(client)","text":"\#(text)"}"#)
  }

  /// The identifiers of the listed conversations.
  func conversations() throws -> [String] {
    call(.get, "/conversations").list("conversations").compactMap { $0["id"] as? String }
  }

  /// The texts of a conversation, the newest first.
  func messages(of conversation: String, _ query: String = "") -> [String] {
    call(.get, "/conversations/\(conversation)/messages\(query)").list("messages")
      .compactMap { $0["text"] as? String }
  }

  func conversation(_ id: String) -> [String: Any] { call(.get, "/conversations/\(id)").json }

  func unreadMessages() -> Int? {
    call(.get, "/conversations").json["unread_count"] as? Int
  }
}
