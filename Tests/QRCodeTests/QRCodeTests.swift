import Foundation
import Processes
import QRCode
import Testing

@Suite("QR codes")
struct QRCodeTests {
  private static let uri =
    "otpauth://totp/PairSpot:ann%40example.test?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    + "&issuer=PairSpot&algorithm=SHA1&digits=6&period=30"

  @Test(
    "A reader reads the content, at every level",
    arguments: ["A", uri, "http://127.0.0.1:8080/groups/join?code=ABCDEF", "你好，兩個人 🙂"],
    QRCode.Level.allCases)
  func read(text: String, level: QRCode.Level) throws {
    let code = try QRCode(text, level: level)
    #expect(try Zbar.read(code.picture, "pgm") == text)
  }

  @Test("The path draws the same modules", arguments: [uri, "x"])
  func path(text: String) throws {
    let code = try QRCode(text)
    let svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(code.svgSide) \(code.svgSide)" \
      width="\(code.svgSide * 8)" height="\(code.svgSide * 8)"><path fill="#fff" \
      d="M0 0h\(code.svgSide)v\(code.svgSide)H0z"/><path d="\(code.svgPath)"/></svg>
      """
    #expect(try Zbar.read(Array(svg.utf8), "svg") == text)
  }

  @Test(
    "The picture and the drawing are read too",
    arguments: [uri, "x", String(repeating: "字", count: 190)])
  func files(text: String) throws {
    let code = try QRCode(text)
    for scale in [3, 8] { #expect(try Zbar.read(code.png(scale: scale), "png") == text) }
    let sized = code.svg.replacing("<svg ", with: "<svg width=\"\(code.svgSide * 8)\" ")
    #expect(try Zbar.read(Array(sized.utf8), "svg") == text)
  }

  @Test("A code has the patterns by which it is found, and light around it")
  func patterns() throws {
    let code = try QRCode("x")
    #expect(code.size == 21 && code.svgSide == 29)
    for (row, column) in [(0, 0), (0, 14), (14, 0)] {
      #expect((0..<7).allSatisfy { code[row, column + $0] && code[row + $0, column] })
      #expect(code[row + 3, column + 3] && !code[row + 1, column + 1])
    }
    for (row, column) in [(-1, 0), (0, -1), (21, 0), (0, 21), (.max, .min)] {
      #expect(!code[row, column])
    }
  }

  @Test("The largest code holds 2,953 bytes, at a higher level fewer")
  func longest() throws {
    let full = String(repeating: "a", count: 2953)
    #expect(try QRCode(full, level: .low).size == 177)
    #expect(throws: QRCode.Failure.tooLong) { try QRCode(full + "a", level: .low) }
    #expect(throws: QRCode.Failure.tooLong) { try QRCode(full, level: .high) }
    #expect(throws: QRCode.Failure.tooLong) {
      try QRCode(String(repeating: "a", count: 1 << 20))
    }
  }

  @Test("An empty text is no code")
  func empty() {
    #expect(throws: QRCode.Failure.empty) { try QRCode("") }
  }

  @Test("Codes made at the same time don't mix")
  func together() async throws {
    let expected = try (0..<8).map { try QRCode("number \($0)", level: .high) }
    await withTaskGroup(of: Bool.self) { group in
      for round in 0..<200 {
        group.addTask {
          (try? QRCode("number \(round % 8)", level: .high)) == expected[round % 8]
        }
      }
      for await same in group { #expect(same) }
    }
  }
}

extension QRCode {
  /// The code with its border as a PGM, 6 px per module.
  fileprivate var picture: [UInt8] {
    let side = svgSide * 6
    var bytes = Array("P5 \(side) \(side) 255\n".utf8)
    for row in 0..<side {
      for column in 0..<side {
        bytes.append(self[row / 6 - Self.quietZone, column / 6 - Self.quietZone] ? 0 : 255)
      }
    }
    return bytes
  }
}

/// zbarimg, an independent reader; ImageMagick converts the picture to PNG.
private enum Zbar {
  static func read(_ picture: [UInt8], _ format: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory
    let source = folder.appending(path: "code-\(UUID()).\(format)")
    let png = source.appendingPathExtension("png")
    defer {
      for file in [source, png] { try? FileManager.default.removeItem(at: file) }
    }
    try Data(picture).write(to: source)
    if format == "svg" {
      _ = try run("rsvg-convert", [source.path, "-b", "white", "-o", png.path])
    } else {
      _ = try run("convert", ["\(format):\(source.path)", "png:\(png.path)"])
    }
    return try run("zbarimg", ["-q", "--raw", "-Sdisable", "-Sqrcode.enable", png.path])
  }

  private static func run(_ name: String, _ arguments: [String]) throws -> String {
    let program = try #require(
      ["/usr/bin", "/usr/local/bin"].map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) },
      "\(name) is missing: deploy/scripts/packages.sh test")
    let result = try ChildProcess.run(
      program, arguments,
      environment: ["PATH": "/usr/bin:/usr/local/bin:/bin", "LC_ALL": "C.UTF-8"],
      timeout: 30)
    return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
