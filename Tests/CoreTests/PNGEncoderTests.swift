import Core
import Testing

@Suite("A plain PNG")
struct PNGEncoderTests {
  @Test("A white px begins and ends as every PNG, and is as long as one stored row needs")
  func onePixel() {
    let bytes = PNGEncoder.encode(.colours, width: 1, height: 1, pixels: [255, 255, 255])
    #expect(Array(bytes.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(
      Array(bytes.suffix(12)) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    #expect(bytes.count == 8 + 25 + (12 + 2 + 5 + 4 + 4) + 12)
  }

  @Test("Rows of bits begin with a byte of their own")
  func bits() {
    let bytes = PNGEncoder.encode(.bits, width: 9, height: 2, pixels: [0xFF, 0x80, 0x00, 0x00])
    // The stored block: filter byte, row, filter byte, row.
    let block: [UInt8] = [0, 0xFF, 0x80, 0, 0x00, 0x00]
    #expect(bytes.indices.contains { bytes[$0...].starts(with: block) })
    #expect(bytes[24...25] == [1, 0])
  }

  @Test("Data larger than one stored block continue in the next, and only the last is marked last")
  func blocks() {
    let bytes = PNGEncoder.encode(
      .colours, width: 200, height: 200, pixels: [UInt8](repeating: 7, count: 120_000))
    let first = 8 + 25 + 8 + 2
    #expect(Array(bytes[first..<(first + 5)]) == [0, 0xFF, 0xFF, 0, 0])
    #expect(bytes[first + 5 + 65_535] == 1)
  }
}
