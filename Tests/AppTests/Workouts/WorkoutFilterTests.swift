import Core
import Foundation
import Testing
import WorkoutFiles

@testable import App

@Suite("The list of workouts is filtered by machine")
struct WorkoutFilterTests {
  private func browser(_ rides: Int, _ rows: Int) throws -> TestClient {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    for (machine, count) in [(Machine.bike, rides), (.rower, rows)] where count > 0 {
      let offset: Int64 = machine == .bike ? 0 : 3600
      for number in 1...count {
        var workout = instance.workout(Int64(number) * 30_000 + offset)
        workout.machine = machine
        try instance.upload([workout], sam)
      }
    }
    return try instance.signedIn("sam")
  }

  private func count(_ page: TestResponse) -> Int {
    page.text.components(separatedBy: "<li class=\"workout\"").count - 1
  }

  @Test("One kind is shown, its pages go on with it, and totals are those of all only")
  func kinds() throws {
    let browser = try browser(14, 23)
    #expect(count(browser.get("/workouts")) == 20)
    let bike = browser.get("/workouts?kind=bike")
    #expect(count(bike) == 14 && !bike.shows("rel=\"next\""))
    #expect(bike.shows("href=\"/workouts?kind=bike\" aria-current=\"page\""))
    #expect(browser.get("/workouts").shows("data-testid=\"totals\""))
    #expect(!bike.shows("data-testid=\"totals\""))
    let rower = browser.get("/workouts?kind=rower")
    let next = try #require(rower.text.firstMatch(of: /href="([^"]+)" rel="next"/)?.output.1)
    #expect(next.contains("kind=rower"))
    let rest = browser.get(String(next).replacing("&amp;", with: "&"))
    #expect(count(rower) == 20 && count(rest) == 3)
  }

  @Test("A kind without workouts says so; an unknown one shows all")
  func none() throws {
    let browser = try browser(2, 0)
    #expect(browser.get("/workouts?kind=rower").shows("No workouts of this kind yet."))
    #expect(count(browser.get("/workouts?kind=x")) == 2)
  }

  @Test("A user without workouts sees no filter")
  func empty() throws {
    #expect(!(try browser(0, 0).get("/workouts").shows("workout-kinds")))
  }
}
