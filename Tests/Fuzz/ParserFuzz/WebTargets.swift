import Core
import Foundation
import HTTPTypes
import Templates

@testable import FastCGI
@testable import Web

extension FuzzTarget {
  static let webTargets = [
    FuzzTarget(name: "form") { bytes in
      guard let fields = try? FormDecoding.decode(bytes) else { return }
      check(fields.count <= FormDecoding.maximumFields, "no more fields than the limit")
    },
    FuzzTarget(name: "multipart") { bytes in
      let whole = multipart(bytes, pieces: .max)
      check(whole == multipart(bytes, pieces: 7), "the same in any pieces")
    },
    FuzzTarget(name: "json") { bytes in
      guard let value = try? JSONParser.parse(bytes) else { return }
      check((try? JSONParser.parse(value.bytes)) == value, "what is written is read as it was")
    },
    FuzzTarget(name: "cookies") { bytes in
      let header = String(decoding: bytes, as: UTF8.self)
      for secure in [false, true] {
        let cookies = Cookies(header: header, style: .init(secure: secure, port: 8080))
        _ = (cookies["session"], cookies.value(named: "tz"))
      }
    },
    FuzzTarget(name: "headers") { bytes in
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard let first = lines.first else { return }
      _ = Language(accepting: first)
      _ = TrustedProxies(first)?.client(peer: "127.0.0.1", forwardedFor: lines.last)
      _ = TrustedProxies.limitKey(first)
      _ = try? MultipartHead(lines: lines.map { Array($0.utf8) })
      let request = Request(method: .get, target: first, id: "fuzz")
      _ = router.match(.get, request.path)
      _ = request.queryValue("a")
    },
    FuzzTarget(name: "fastcgi") { bytes in
      check(records(bytes, pieces: .max) == records(bytes, pieces: 3), "the same in any pieces")
    },
    FuzzTarget(name: "links") { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      let markup = String(decoding: LinkedText.markup(text).bytes, as: UTF8.self)
      // By code units: in characters, a combining mark would hide the preceding one.
      let ours = [
        "<p>", "</p>", "<br>", "</a>", "\" rel=\"nofollow ugc noopener\">", "<a href=\"http",
      ]
      let rest = ours.reduce(markup) {
        $0.replacingOccurrences(of: $1, with: "", options: .literal)
      }
      check(!rest.utf8.contains { $0 == 0x3C || $0 == 0x22 }, "no markup but ours")
    },
  ]

  private static let router = Router([
    Route(.get, "/posts/:id/pictures/:number", .anyone) { _ in .noContent() },
    Route(.get, "/media/:file", .anyone) { _ in .noContent() },
  ])

  private static let folder = FileManager.default.temporaryDirectory.path

  private static func multipart(_ bytes: [UInt8], pieces: Int) -> String {
    var rest = bytes[...]
    do {
      let form = try MultipartForm.read(
        contentType: "multipart/form-data; boundary=X",
        limits: MultipartLimits(files: 2, fileBytes: 280, allFilesBytes: 400), directory: folder
      ) { buffer in
        let piece = rest.prefix(min(pieces, buffer.count))
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
      let read = Form(multipart: form)
      return "\(form.fields) \(read.files.map { ($0.fileName, $0.bytes, $0.tooLarge) })"
    } catch {
      return "\(error)"
    }
  }

  private static func records(_ bytes: [UInt8], pieces: Int) -> String {
    var checker = FastCGIRecordValidator()
    var rest = bytes[...]
    do {
      while !rest.isEmpty {
        try Array(rest.prefix(pieces)).withUnsafeBytes { try checker.feed($0) }
        rest = rest.dropFirst(pieces)
      }
      return "\(checker.stage) \(checker.openingLength)"
    } catch {
      return "\(error)"
    }
  }
}
