import Core
import FoundationEssentials
import Glibc
import PhotoMetadata

// The module's whole interface as a program, for tests that kill a process, and for test programs
// not written in Swift. Prints one line of JSON.

struct Answer: Encodable {
  var error: String?
  var detail: String?
  var format: String?
  var width: Int?
  var height: Int?
  var orientation: Int?
  var extras: [String]?
  var story: String?
  var otherStory: String?
  var caption: String?
  var taken: String?

  mutating func add(_ properties: PhotoProperties) {
    format = properties.format.rawValue
    (width, height, orientation) = (properties.width, properties.height, properties.orientation)
    extras = properties.extras.map(\.rawValue).sorted()
  }

  mutating func add(_ error: PhotoError) {
    self.error = error.code
    switch error {
    case .format(let format): detail = format.name
    case .read(.failed(let text)), .write(.failed(let text)), .unknown(let text): detail = text
    default: break
    }
  }

  func say() {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let line = try? encoder.encode(self) { puts(String(decoding: line, as: UTF8.self)) }
    fflush(nil)
  }

  mutating func write(_ entered: String, into source: String, as target: String) {
    do throws(PhotoStoryError) {
      let story = try PhotoStory(entered)
      do throws(PhotoError) {
        try PhotoFile.write(story, into: source, as: target)
      } catch {
        add(error)
      }
    } catch {
      self.error = "story"
      detail = "\(error)"
    }
  }
}

/// Standard input as text.
func entered() -> String {
  var bytes: [UInt8] = []
  while let line = readLine(strippingNewline: false) { bytes += Array(line.utf8) }
  return String(decoding: bytes, as: UTF8.self)
}

// A file size limit is an error to report, not the end of the process.
signal(SIGXFSZ, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
var answer = Answer()
do throws(PhotoError) {
  switch (arguments.first, arguments.count) {
  case ("identify", 2): answer.add(try PhotoFile.identify(arguments[1]))
  case ("read", 2):
    let reading = try PhotoFile.read(arguments[1])
    answer.add(reading.properties)
    answer.story = reading.story
    answer.otherStory = reading.otherStory
    answer.caption = reading.caption
    answer.taken = reading.taken?.localTime
  case ("write", 3): answer.write(entered(), into: arguments[1], as: arguments[2])
  case ("strip", 3): try PhotoFile.strip(arguments[1], as: arguments[2])
  case ("sweep", 2):
    PhotoFile.removeOrphans(in: arguments[1], olderThan: Instant(date: Date() + 60))
  case ("stay", 1):
    // Saves photos one after the other, as the product does, without a process for each.
    while let line = readLine() {
      let fields = line.split(separator: "\t", maxSplits: 2).map(String.init)
      guard fields.count == 3 else { exit(2) }
      var answer = Answer()
      answer.write(fields[2], into: fields[0], as: fields[1])
      answer.say()
    }
    exit(0)
  default:
    puts("usage: identify|read FILE, write|strip FROM TO, sweep FOLDER, stay")
    exit(2)
  }
} catch {
  answer.add(error)
}
answer.say()
exit(answer.error == nil ? 0 : 1)
