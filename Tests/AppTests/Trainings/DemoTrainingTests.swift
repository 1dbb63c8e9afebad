import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("The trainings of the demonstration world")
struct DemoTrainingTests {
  @Test("One has a short film with captions, which every signed-in user gets")
  func video() throws {
    let instance = try TestInstance()
    try DemoTrainings(instance: instance.instance).fill(now: instance.clock.now())
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let trainings = sam.call(.get, "/trainings").list("trainings")
    #expect(trainings.count == 4)
    let filmed = try #require(trainings.first { $0["video_url"] is String })
    #expect(filmed["video_size"] as? Int ?? 0 < 200 << 10)
    #expect(filmed["duration"] as? Int == 60)
    let id = try #require(filmed["id"] as? String)
    let page = sam.get("/workouts/trainings/\(id)").text
    let video = try #require(page.firstMatch(of: /\/media\/trainings\/[^"]*\.mp4/)?.output)
    let captions = try #require(page.firstMatch(of: /\/media\/trainings\/[^"]*\.vtt/)?.output)
    for path in [video, captions] {
      #expect(sam.get(String(path)).headers[.accelRedirect] != nil, "\(path)")
    }
    // The source files are kept for the next run.
    try DemoTrainings(instance: instance.instance).fill(now: instance.clock.now())
  }

  @Test("Its captions speak of nothing that the film has no more")
  func captions() throws {
    let folder = TestInstance.checkout.appending(path: "deploy/demo")
    let text = try String(contentsOf: folder.appending(path: "along-the-lake.vtt"), encoding: .utf8)
    let ends = text.matches(of: /--> (\d\d):(\d\d):(\d\d)\.\d{3}/).compactMap {
      (Int($0.output.1) ?? 0) * 3600 + (Int($0.output.2) ?? 0) * 60 + (Int($0.output.3) ?? 0)
    }
    #expect(ends.count == 6 && ends == ends.sorted() && ends.last == 60)
  }
}
