import Testing

@testable import Web

@Suite("Heads of parts")
struct MultipartHeadTests {
  private static func head(_ lines: String...) throws -> MultipartHead {
    try MultipartHead(lines: lines.map { Array($0.utf8) })
  }

  private static func boundary(_ contentType: String) throws -> String {
    String(decoding: try MultipartHead.boundary(contentType: contentType), as: UTF8.self)
  }

  @Test(
    "The boundary is found in every form that clients send",
    arguments: [
      (
        "multipart/form-data; boundary=----WebKitFormBoundaryAbC123", "----WebKitFormBoundaryAbC123"
      ),
      ("Multipart/Form-Data;BOUNDARY=\"a b\"", "a b"),
      ("multipart/form-data; charset=utf-8; boundary=x=y", "x=y"),
      ("multipart/form-data; boundary=\"x\" ;", "x"),
    ])
  func boundaries(contentType: String, boundary: String) throws {
    #expect(try Self.boundary(contentType) == boundary)
  }

  @Test(
    "A content type without one good boundary is refused",
    arguments: [
      "", "multipart/form-data", "multipart/form-data; boundary=", "text/plain; boundary=x",
      "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"x",
      "multipart/form-data; boundary=x; boundary=y", "multipart/form-data boundary=x",
      "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=\"a\r\nb\"",
      "multipart/form-data; boundary=" + String(repeating: "b", count: 71),
      "multipart/form-data; boundary=ü",
    ])
  func badBoundaries(contentType: String) {
    #expect(throws: FormError.malformed) { try Self.boundary(contentType) }
  }

  @Test("Names come as browsers and other clients write them")
  func names() throws {
    let plain = try Self.head("Content-Disposition: form-data; name=content")
    #expect(plain.name == "content")
    #expect(plain.fileName == nil)
    #expect(plain.contentType == "text/plain")
    let escaped = try Self.head(
      #"content-disposition:form-data; name="a%22b%0D%0Ac%41"; filename="d\"e.jpg""#,
      "content-type: Image/JPEG; q=1")
    #expect(escaped.name == "a\"b\r\nc%41")
    #expect(escaped.fileName == "d\"e.jpg")
    #expect(escaped.contentType == "image/jpeg")
  }

  @Test(
    "A file's name is its last part on one line",
    arguments: [
      ("a.jpg", "a.jpg"), (#"C:\fakepath\a.jpg"#, "a.jpg"), ("/etc/passwd", "passwd"),
      ("照片.jpg", "照片.jpg"), ("a%0D%0Ab.jpg", "a  b.jpg"), ("..", ".."), ("dir/", "dir"),
      ("", ""),
    ])
  func fileNames(sent: String, shown: String) throws {
    let head = try Self.head("Content-Disposition: form-data; name=f; filename=\"\(sent)\"")
    #expect(head.fileName == shown)
  }

  @Test("A name that is not UTF-8 is refused")
  func notText() {
    let line = Array("Content-Disposition: form-data; name=\"".utf8) + [0xFF, 0x22]
    #expect(throws: FormError.malformed) { try MultipartHead(lines: [line]) }
  }

  @Test(
    "A head that no browser sends is refused",
    arguments: [
      [], ["Content-Type: text/plain"], ["Content-Disposition: form-data"],
      ["Content-Disposition: attachment; name=a"], ["Content-Disposition: form-data; name"],
      ["Content-Disposition: form-data; name=\"a"], ["Content-Disposition: form-data; name=a b"],
      ["Content-Disposition: form-data; name=a; name=b"], ["no colon"], [": no name"],
      ["Content-Disposition : form-data; name=a"],
      ["Content-Disposition: form-data; name=a", " filename=folded"],
      ["Content-Disposition: form-data; name=a", "content-disposition: form-data; name=b"],
      ["Content-Disposition: form-data; name=a", "Content-Transfer-Encoding: base64"],
      ["Content-Disposition: form-data; name=a", "Content-Type: "],
    ])
  func malformed(lines: [String]) {
    #expect(throws: FormError.malformed) {
      try MultipartHead(lines: lines.map { Array($0.utf8) })
    }
  }

  @Test("A field that is not UTF-8 is refused")
  func fieldNotText() throws {
    let folder = try MultipartFolder()
    let head = Array("--X\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8)
    #expect(throws: FormError.malformed) {
      try folder.read(head + [0xC3, 0x28] + Array("\r\n--X--".utf8))
    }
  }
}
