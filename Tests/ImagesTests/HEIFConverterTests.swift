import Testing

@testable import ImageProcessing
@testable import Images

@Suite("JPEGs of HEIC pictures")
struct HEIFConverterTests {
  @Test("A JPEG that would be too large has a lower quality, down to a limit")
  func size() throws {
    // Noise, which compresses badly.
    var state: UInt32 = 7
    let pixels = (0..<64 * 64 * 3).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    func size(atMost bytes: Int) throws(PictureError) -> Int {
      try HEIFConverter.encode(pixels, 64 * 3, width: 64, height: 64, atMost: bytes).count
    }
    let best = try size(atMost: .max)
    let second = try size(atMost: best - 1)
    #expect(second < best)
    #expect(try size(atMost: second) == second)
    #expect(throws: PictureError.tooManyBytes) { try size(atMost: 100) }
  }
}
