import Core
import Foundation
import Templates

// Renders a feed page of 20 posts with a compiled template and with string interpolation, in turns,
// and prints the time per page. Run it in release mode: swift run -c release template-bench

let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .appendingPathComponent("templates").path
let catalogues = try Catalogues(directory: "\(directory)/locales")
let set = try TemplateSet(directory: directory, catalogues: catalogues)
let template = try set.template("feed", FeedView.self)
let feed = FeedView.sample()

let page = template.render(feed, in: .english)
guard page == Array(Interpolation.page(feed).utf8) else {
  report("The two pages differ.")
  exit(1)
}
report("a page of \(page.count) bytes")

let contest = Contest(rounds: 15, pages: 1_000)
let results = contest.run([
  ("interpolation", { Array(Interpolation.page(feed).utf8).count }),
  ("template", { template.render(feed, in: .english).count }),
  (
    "template, without the last copy",
    {
      var output = Output(capacity: 32_768)
      template.render(feed, in: .english, into: &output)
      return output.count
    }
  ),
])
for result in results {
  let ratio = result.microseconds / results[0].microseconds
  report("\(result.name): \(rounded(result.microseconds)) µs a page, ratio \(rounded(ratio))")
}

for threads in [1, 2] {
  let perSecond = Contest.pagesPerSecond(threads: threads, pages: 20_000) {
    let feed = FeedView.sample()
    return { template.render(feed, in: .english).count }
  }
  report("\(threads) threads: \(Int(perSecond)) pages a second")
}

func rounded(_ number: Double) -> String {
  String(format: "%.2f", number)
}

func report(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
