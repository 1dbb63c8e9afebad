import Basics
import FoundationEssentials
import Glibc
import PhotoMetadata

// The room's whole interface as a program, for tests that need a process of its own to kill, and
// for judges that aren't written in Swift. Says one line of JSON.

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

  mutating func add(_ facts: PhotoFacts) {
    format = facts.format.rawValue
    (width, height, orientation) = (facts.width, facts.height, facts.orientation)
    extras = facts.extras.map(\.rawValue).sorted()
  }

  mutating func add(_ error: PhotoError) {
    self.error = error.code
    switch error {
    case .format(let format): detail = format.name
    case .read(.failed(let text)), .write(.failed(let text)), .unknown(let text): detail = text
    default: break
    }
  }

  func say() -> Never {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let line = try? encoder.encode(self) { puts(String(decoding: line, as: UTF8.self)) }
    exit(error == nil ? 0 : 1)
  }
}

/// Standard input as text.
func typed() -> String {
  var bytes: [UInt8] = []
  while let line = readLine(strippingNewline: false) { bytes += Array(line.utf8) }
  return String(decoding: bytes, as: UTF8.self)
}

// A file that may not grow is an error to be told of, not the end of the process.
signal(SIGXFSZ, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
var answer = Answer()
do throws(PhotoError) {
  switch (arguments.first, arguments.count) {
  case ("identify", 2): answer.add(try PhotoFile.identify(arguments[1]))
  case ("read", 2):
    let reading = try PhotoFile.read(arguments[1])
    answer.add(reading.facts)
    answer.story = reading.story
    answer.otherStory = reading.otherStory
    answer.caption = reading.caption
    answer.taken = reading.taken?.localTime
  case ("write", 3):
    do throws(PhotoStoryProblem) {
      let story = try PhotoStory(typed())
      do throws(PhotoError) {
        try PhotoFile.write(story, into: arguments[1], as: arguments[2])
      } catch {
        answer.add(error)
      }
    } catch {
      answer.error = "story"
      answer.detail = "\(error)"
    }
  case ("strip", 3): try PhotoFile.strip(arguments[1], as: arguments[2])
  case ("sweep", 2):
    PhotoFile.removeLeftovers(in: arguments[1], olderThan: Instant(date: Date() + 60))
  default:
    puts("usage: identify|read FILE, write|strip FROM TO, sweep FOLDER")
    exit(2)
  }
} catch {
  answer.add(error)
}
answer.say()
