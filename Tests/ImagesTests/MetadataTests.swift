import Foundation
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("No metadata is stored")
struct MetadataTests {
  /// Allowed metadata of a stored file: its format, and colours. Groups by exiftool's names.
  private static let harmless: Set = [
    "SourceFile", "ExifTool", "System", "File", "JFIF", "PNG", "RIFF", "Composite", "ICC_Profile",
    "ICC-header", "ICC-view", "ICC-meas",
  ]

  private func expectClean(_ bench: Bench) throws {
    let files = try Exiftool.tags(in: bench.stored)
    #expect(files.count == bench.names.count)
    for file in files {
      for (tag, value) in file {
        let parts = tag.split(separator: ":")
        #expect(Self.harmless.contains(String(parts[0])), "\(tag) = \(value)")
        #expect(
          !["GPS", "Serial", "Thumbnail", "Comment", "Creator", "Trailer", "Warning"].contains {
            tag.contains($0)
          }, "\(tag) = \(value)")
      }
    }
  }

  @Test(
    "Cameras' files keep no place, serial number, maker notes or thumbnail",
    arguments: ["sample1.jpg", "samples/has-lens-info.jpg", "samples/geodegrees_as_string.jpg"])
  func cameras(name: String) throws {
    let bench = try Bench()
    try bench.process(CameraSamples.read(name))
    #expect(bench.names.count == 5)
    try expectClean(bench)
  }

  @Test("The test's own metadata is seen by exiftool before, and gone after")
  func jpeg() throws {
    let bench = try Bench()
    let xmp = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    var file = TestMetadata.insert(0xE1, xmp, into: try TestPictures.jpeg(64, 48))
    file = TestMetadata.insert(exif: TestMetadata.exif(orientation: 1), into: file)
    file = TestMetadata.insert(0xFE, Array("a secret remark".utf8), into: file)
    file = TestMetadata.insert(0xED, Array("Photoshop 3.0\0".utf8), into: file)
    file += Array("PK and more behind the picture".utf8)
    let before = bench.folder.appending(path: "before")
    try FileManager.default.createDirectory(at: before, withIntermediateDirectories: true)
    try Data(file).write(to: before.appending(path: "a.jpg"))
    let seen = try #require(try Exiftool.tags(in: before).first)
    #expect(seen["GPS:GPSLatitudeRef"] != nil && seen["IFD0:CameraSerialNumber"] != nil)
    #expect(seen["File:Comment"] == "a secret remark")

    let picture = try bench.process(file)
    try expectClean(bench)
    for name in bench.names {
      let text = String(decoding: try bench.bytes(name), as: UTF8.self)
      #expect(!text.contains("secret") && !text.contains("behind the picture"))
    }
    #expect(picture.bytes == (try bench.names.reduce(0) { $0 + (try bench.bytes($1).count) }))
  }

  @Test("PNG and WebP lose text, EXIF and XMP")
  func others() throws {
    let bench = try Bench()
    var png = HandmadePNG.insert(
      "tEXt", Array("Comment\0a secret".utf8), into: try TestPictures.png(64, 48))
    png = HandmadePNG.insert("eXIf", TestMetadata.exif(orientation: 1), into: png)
    png = HandmadePNG.insert("tIME", [7, 0xEA, 1, 1, 1, 1, 1], into: png)
    try bench.process(png + Array("trailer".utf8))
    let webp = TestMetadata.extend(
      try TestPictures.webp(64, 48), 64, 48, flags: 0x0C,
      after: [
        ("EXIF", TestMetadata.exif(orientation: 1)),
        ("XMP ", Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)),
      ])
    try bench.process(webp + Array("trailer".utf8))
    #expect(bench.names.count == 6)
    try expectClean(bench)
    for name in bench.names {
      let text = String(decoding: try bench.bytes(name), as: UTF8.self)
      #expect(!text.contains("secret") && !text.contains("trailer"))
    }
  }
}
