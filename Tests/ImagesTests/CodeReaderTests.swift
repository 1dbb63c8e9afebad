import Cgd
import Foundation
import QRCode
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("QR codes in pictures are read by a child")
struct CodeReaderTests {
  private static let link = "http://127.0.0.1:8099/join?code=K7M2QX&name=Harvest%20Walk"

  /// A code as a true-colour picture.
  private func code(_ text: String, scale: Int = 4) throws -> GDImage {
    let bytes = try QRCode(text).png(scale: scale)
    let image = try GDDecoder.decode(bytes, as: PictureHeader.identify(bytes))
    gdImagePaletteToTrueColor(image.pointer)
    return image
  }

  /// A grey picture with others placed on it by their top left corners.
  private func page(
    _ width: Int, _ height: Int, _ parts: [(GDImage, x: Int, y: Int)]
  ) throws -> GDImage {
    let page = try GDImage.blank(width: width, height: height)
    gdImageFilledRectangle(page.pointer, 0, 0, Int32(width - 1), Int32(height - 1), 0xB0_B8C0)
    for (part, x, y) in parts {
      gdImageCopy(
        page.pointer, part.pointer, Int32(x), Int32(y), 0, 0, Int32(part.width),
        Int32(part.height))
    }
    return page
  }

  private func jpeg(_ image: GDImage, quality: Int32 = 80) -> [UInt8] {
    TestPictures.take { gdImageJpegPtr(image.pointer, $0, quality) }
  }

  private func read(_ bytes: [UInt8], arguments: [String] = []) throws -> [String] {
    let bench = try Bench()
    let file = try bench.file(bytes)
    let found = try Bench.imageProcessor(arguments).codes(in: file)
    #expect(bench.names == [] && FileManager.default.fileExists(atPath: file))
    return found
  }

  @Test("In every format that pictures may have")
  func formats() throws {
    let image = try page(400, 400, [(code(Self.link), 40, 40)])
    let pointer = image.pointer
    for bytes in [
      jpeg(image), TestPictures.take { gdImagePngPtr(pointer, $0) },
      TestPictures.take { gdImageWebpPtrEx(pointer, $0, 80) },
      TestPictures.take { gdImageGifPtr(pointer, $0) },
    ] {
      #expect(try read(bytes) == [Self.link])
    }
  }

  @Test("Turned by any angle", arguments: [0, 17, 45, 90, 180, 233, 270])
  func turned(degrees: Int) throws {
    let image = try page(480, 480, [(code(Self.link), 80, 80)])
    let turned = try GDImage(gdImageRotateInterpolated(image.pointer, Float(degrees), 0xB0_B8C0))
    #expect(try read(jpeg(turned)) == [Self.link])
  }

  @Test("Small in a photo of 12 megapixels")
  func large() throws {
    let image = try page(4032, 3024, [(code(Self.link, scale: 9), 2900, 400)])
    #expect(try read(jpeg(image)) == [Self.link])
  }

  @Test("All codes of a picture, each once, and nothing where there is none")
  func several() throws {
    let (one, other) = (try code("ABC234"), try code("https://example.test/"))
    let image = try page(700, 500, [(one, 20, 20), (other, 250, 20), (one, 480, 240)])
    #expect(Set(try read(jpeg(image))) == ["ABC234", "https://example.test/"])
    #expect(try read(jpeg(image)).count == 2)
    #expect(try read(TestPictures.jpeg(640, 480)) == [])
  }

  @Test("A code longer than any link of this site is skipped")
  func long() throws {
    let text = String(repeating: "a", count: CodeReader.maximumBytes + 1)
    #expect(try read(jpeg(page(900, 900, [(code(text), 20, 20)]), quality: 95)) == [])
  }

  @Test("A file that is no picture, broken or too large is refused like other pictures")
  func refused() throws {
    func rejection(_ bytes: [UInt8], _ arguments: [String] = []) throws -> PictureError? {
      do {
        _ = try read(bytes, arguments: arguments)
        return nil
      } catch let error as PictureError {
        return error
      }
    }
    let whole = jpeg(try page(400, 400, [(code(Self.link), 40, 40)]))
    #expect(try rejection(Array(whole.prefix(whole.count / 2))) == .damaged)
    #expect(try rejection(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) != nil)
    #expect(try rejection([]) != nil)
    let heavy = whole + [UInt8](repeating: 0, count: PictureLimits.bytes)
    #expect(try rejection(heavy) == .tooManyBytes)
    let wide = try GDImage.blank(width: 60_000, height: 1_000)
    #expect(try rejection(TestPictures.take { gdImagePngPtr(wide.pointer, $0) }) == .tooManyPixels)
    // A child that runs out of memory is reported as an error of the picture.
    #expect(try rejection(whole, ["--memory=\(48 << 20)"]) != nil)
  }

  @Test("The child's output about codes is parsed, however odd")
  func report() throws {
    let odd = ["", "a\"\\\n\u{0}", "你好 🙂", String(repeating: "\u{1}", count: 900)]
    let line = ImageJobReport.codes(odd).line
    #expect(ImageJobReport(line: Array(line.utf8)) == .codes(odd))
    let maximum = Array(
      repeating: String(repeating: "\u{1}", count: CodeReader.maximumBytes),
      count: CodeReader.maximumCodes)
    let longest = Array(ImageJobReport.codes(maximum).line.utf8)
    #expect(
      longest.count <= ImageJobReport.limit && ImageJobReport(line: longest) == .codes(maximum))
  }
}
