import Glibc
import PhotoMetadata

/// Reads each file, performs all operations on every fourth, and reports contradictions.
struct Trial {
  struct Wrong: Error { let text: String }

  private let photo: String
  private let bare: String
  private let withStory: String
  private let stories: [PhotoStory]
  private(set) var taken = 0
  private(set) var refused: [String: Int] = [:]

  init(in folder: String) throws {
    (photo, bare, withStory) = (folder + "/photo", folder + "/bare", folder + "/told")
    stories = try [
      "x", "一\n<b> & \"c\"\té 👨‍👩‍👧‍👦", String(repeating: "字", count: 300),
      String(repeating: "👨‍👩‍👧‍👦", count: 300),
    ].map { try PhotoStory($0) }
  }

  mutating func run(_ bytes: [UInt8], round: Int) throws {
    try Disk.put(bytes, photo)
    let properties: PhotoProperties
    let reading: PhotoReading
    do throws(PhotoError) {
      properties = try PhotoFile.identify(photo)
      reading = try PhotoFile.read(photo)
    } catch {
      switch error {
      case .read(.damaged), .read(.tooManyPixels), .format: refused[error.code, default: 0] += 1
      default: throw Wrong(text: "reading: \(error)")
      }
      try expect(
        saving { () throws(PhotoError) in try PhotoFile.strip(photo, as: bare) } == error,
        "refused by identify, but not so by strip")
      return
    }
    try expect(properties == reading.properties, "identify and read differ")
    taken += 1
    for text in [reading.story, reading.otherStory, reading.caption] { try check(text) }
    // Saving takes ten times as long as reading.
    guard round % 4 == 0 else { return }
    try strip(reading)
    try write(stories[round / 4 % stories.count], reading)
    try expect(try Disk.bytes(photo) == bytes, "the source has changed")
  }

  private func strip(_ before: PhotoReading) throws {
    unlink(bare)
    try PhotoFile.strip(photo, as: bare)
    let after = try PhotoFile.read(bare)
    try expect(after.story == nil && after.caption == nil && after.taken == nil, "something stays")
    try compare(before, after)
    let once = try Disk.bytes(bare)
    try PhotoFile.strip(bare, as: bare)
    try expect(try Disk.bytes(bare) == once, "stripping twice changes it again")
  }

  private func write(_ story: PhotoStory, _ before: PhotoReading) throws {
    unlink(withStory)
    try PhotoFile.write(story, into: photo, as: withStory)
    let after = try PhotoFile.read(withStory)
    try expect(after.story == story.text && after.otherStory == nil, "another story")
    try expect(after.caption == nil && after.taken == nil, "something stays")
    try compare(before, after)
    let once = try Disk.bytes(withStory)
    try PhotoFile.write(story, into: withStory, as: withStory)
    try expect(try Disk.bytes(withStory) == once, "writing twice changes it again")
  }

  private func compare(_ before: PhotoReading, _ after: PhotoReading) throws {
    let (old, new) = (before.properties, after.properties)
    try expect(
      old.format == new.format && old.width == new.width && old.height == new.height
        && old.orientation == new.orientation && new.extras.isEmpty, "another picture")
  }

  /// A displayed text is clean, and is a valid story as a draft.
  private func check(_ text: String?) throws {
    guard let text else { return }
    try expect(!text.isEmpty && text.utf8.count <= PhotoStory.maximumBytes, "a text is too long")
    if let draft = PhotoStory(draft: text) {
      try expect((try? PhotoStory(draft.text)) == draft, "a draft is no story")
    }
  }

  private func saving(_ work: () throws(PhotoError) -> Void) -> PhotoError? {
    do throws(PhotoError) {
      try work()
      return nil
    } catch {
      return error
    }
  }

  private func expect(_ holds: Bool, _ otherwise: String) throws(Wrong) {
    guard holds else { throw Wrong(text: otherwise) }
  }
}
