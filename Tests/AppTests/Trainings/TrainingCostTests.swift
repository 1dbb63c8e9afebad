import Core
import Database
import Testing

@testable import App

@Suite("Cost of lists of trainings")
struct TrainingCostTests {
  @Test("Each page takes as many statements with six trainings as with one")
  func pages() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    let admin = try instance.admin()
    let pages = [
      TestClient.trainings, "/workouts", "/workouts/add", "/workouts/trainings",
      "/api/v1/trainings",
    ]
    func ride(_ number: Int) throws {
      let adminPage = try admin.publishTraining("Training \(number)")
      try admin.addWorkout(["training": String(adminPage.suffix(36)), "time": "0\(number):00"])
    }
    func costs() -> [Int] {
      pages.map { path in
        let before = log.count
        let answer = path.hasPrefix("/api") ? admin.call(.get, "/trainings") : admin.get(path)
        #expect(answer.status == 200, "\(path)")
        return log.count - before
      }
    }
    try ride(1)
    _ = costs()
    let one = costs()
    for number in 2...6 { try ride(number) }
    #expect(admin.get("/workouts").shows("Training 1"))
    #expect(admin.get("/workouts").shows("Training 6"))
    #expect(costs() == one, "\(pages)")
  }
}
