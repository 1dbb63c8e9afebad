import Czlib
import Foundation
import PNG
import Testing

@Suite("A plain PNG")
struct PNGEncoderTests {
  /// The rows of an encoded image, each after its filter type, as zlib unpacks them.
  private func rows(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
    // Mark, IHDR, then the length and type of IDAT.
    let data = bytes[41..<(bytes.count - 16)]
    var rows = [UInt8](repeating: 0xEE, count: count + 1)
    var length = UInt(rows.count)
    try #require(uncompress(&rows, &length, Array(data), UInt(data.count)) == Z_OK)
    return Array(rows.prefix(Int(length)))
  }

  @Test("A white px begins and ends as every PNG")
  func onePixel() throws {
    let bytes = PNGEncoder.encode(.colours, width: 1, height: 1, pixels: [255, 255, 255])
    #expect(Array(bytes.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(
      Array(bytes.suffix(12)) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    #expect(try rows(bytes, count: 4) == [0, 255, 255, 255])
  }

  @Test("Rows of bits begin with a byte of their own")
  func bits() throws {
    let bytes = PNGEncoder.encode(.bits, width: 9, height: 2, pixels: [0xFF, 0x80, 0x00, 0x00])
    #expect(try rows(bytes, count: 6) == [0, 0xFF, 0x80, 0, 0x00, 0x00])
    #expect(bytes[24...25] == [1, 0])
  }

  @Test("Data of many kilobytes are one stream")
  func large() throws {
    let bytes = PNGEncoder.encode(
      .colours, width: 200, height: 200, pixels: [UInt8](repeating: 7, count: 120_000))
    let line = [0] + [UInt8](repeating: 7, count: 600)
    #expect(
      try rows(bytes, count: 120_200) == Array(repeatElement(line, count: 200).joined()))
    #expect(bytes.count < 2000)
  }

  @Test(
    "pngcheck finds nothing wrong",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/pngcheck")))
  func pngcheck() throws {
    let colours = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for bytes in [
      PNGEncoder.encode(.colours, width: 50, height: 20, pixels: colours),
      PNGEncoder.encode(.bits, width: 17, height: 5, pixels: Array(colours.prefix(15))),
    ] {
      let file = FileManager.default.temporaryDirectory.appending(path: "png-\(UUID())")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(bytes).write(to: file)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/pngcheck")
      process.arguments = ["-q", file.path]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }
}
