import Foundation
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Damaged and hostile files are refused, and leave nothing")
struct DamagedFileTests {
  @Test("A JPEG cut anywhere is refused", arguments: [false, true])
  func cutJPEG(progressive: Bool) throws {
    let bench = try Bench()
    let whole = try TestPictures.jpeg(200, 150, progressive: progressive)
    for length in [10, 300, whole.count / 3, whole.count / 2, whole.count - 9, whole.count - 2] {
      #expect(try bench.rejection(Array(whole.prefix(length))) == .damaged, "\(length) bytes")
    }
    #expect(bench.names == [])
  }

  @Test("A cut PNG, WebP or GIF is refused")
  func cutOthers() throws {
    let bench = try Bench()
    for whole in [
      try TestPictures.png(200, 150), try TestPictures.png(200, 150, interlaced: true),
      try TestPictures.webp(200, 150), try TestPictures.webp(200, 150, quality: 101),
      try TestPictures.gif(200, 150),
    ] {
      for length in [whole.count * 2 / 3, whole.count - 2] {
        // A GIF's last byte but one ends its frame, the last one only the file.
        #expect(try bench.rejection(Array(whole.prefix(length))) == .damaged, "\(length) bytes")
      }
    }
    #expect(bench.names == [])
  }

  @Test("A file whose data is broken in the middle is refused")
  func broken() throws {
    let bench = try Bench()
    for whole in [try TestPictures.png(200, 150), try TestPictures.webp(200, 150, quality: 101)] {
      var file = whole
      for index in (file.count / 2)..<(file.count / 2 + 8) { file[index] ^= 0x5A }
      #expect(try bench.rejection(file) == .damaged)
    }
  }

  @Test("A file that begins as one format and continues as another is refused")
  func startsOnly() throws {
    let bench = try Bench()
    let jpeg = try TestPictures.jpeg(32, 32)
    let png = try TestPictures.png(32, 32)
    #expect(try bench.rejection(Array(jpeg.prefix(20)) + png.dropFirst(20)) == .damaged)
    #expect(try bench.rejection(Array("GIF89a".utf8) + jpeg) == .damaged)
    #expect(try bench.rejection(Array(png.prefix(16)) + jpeg.dropFirst(16)) != nil)
    #expect(bench.names == [])
  }

  @Test("A file's name means nothing: AVIF and SVG named .jpg are refused by name")
  func wrongNames() throws {
    let bench = try Bench()
    let avif = Array("\0\0\0\u{18}ftypavif\0\0\0\0mif1avif".utf8)
    let path = try bench.file(avif, named: "holiday.jpg")
    #expect(throws: PictureError.unsupportedFormat(.avif)) {
      try Bench.imageProcessor().process(file: path, kind: .post, into: bench.stored.path)
    }
    #expect(
      try bench.rejection(Array("<svg onload='alert(1)'/>".utf8)) == .unsupportedFormat(.svg))
    #expect(try bench.rejection([]) == .unsupportedFormat(.unknown))
  }

  @Test("A HEIC file without a picture is damaged, and leaves no JPEG")
  func emptyHEIC() throws {
    let bench = try Bench()
    #expect(
      try bench.rejection(Array("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8)) == .damaged)
    let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(files.allSatisfy { !$0.hasSuffix(".jpg") })
  }

  @Test("A tiny file of 20,000 by 20,000 pixels is refused by its header")
  func bomb() throws {
    let bench = try Bench()
    let file = HandmadePNG.make(20_000, 20_000, depth: 1, type: 0, rows: [[0]])
    #expect(try bench.rejection(file) == .tooManyPixels)
  }

  @Test("Cameras' corrupt files are taken or refused, within the limits")
  func corruptCameras() throws {
    let bench = try Bench()
    let files = try CameraSamples.names(in: "corrupt")
    #expect(files.count == 3)
    for name in files {
      if case .failed(let reason) = try bench.rejection(CameraSamples.read(name)) {
        Issue.record("\(name): \(reason)")
      }
    }
    #expect(bench.names.allSatisfy { !$0.hasPrefix(".") })
  }

  @Test("Cameras' files without a picture are refused from their headers")
  func headersOnly() throws {
    var refused = 0
    for name in try CameraSamples.names(in: "samples") {
      let bytes = try CameraSamples.read(name)
      if (try? PictureHeader.identify(bytes)) == nil { refused += 1 }
    }
    #expect(refused >= 40)
  }
}
