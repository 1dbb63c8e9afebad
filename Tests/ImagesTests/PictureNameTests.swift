import Core
import Images
import Testing

@Suite("Names of the files of pictures")
struct PictureNameTests {
  @Test("A file name names a picture only in the forms that are written")
  func names() {
    let id = ID<PictureFiles.Name>.random()
    func fits(_ name: String, hasWebP: Bool = true) -> Bool {
      PictureName(name)?.fits(fileExtension: "jpg", hasWebP: hasWebP) == true
    }
    #expect(fits("original_\(id).jpg") && fits("medium_\(id).webp") && fits("thumb_\(id).jpg"))
    #expect(!fits("original_\(id).webp") && !fits("medium_\(id).png"))
    #expect(!fits("medium_\(id).webp", hasWebP: false))
    for name in ["", "medium", "medium_\(id)", "large_\(id).jpg", "../medium_\(id).jpg"] {
      #expect(PictureName(name) == nil, "\(name)")
    }
    #expect(PictureName("thumb_\(id).png")?.id == id)
    #expect(PictureName.contentType("jpg") == "image/jpeg")
  }
}
