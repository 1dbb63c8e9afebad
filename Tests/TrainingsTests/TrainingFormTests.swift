import Testing
import Web

@testable import Trainings

@Suite("The form of a training")
struct TrainingFormTests {
  private typealias Fields = [(name: String, value: String)]

  private let base: Fields = [("name", "Hills"), ("description", ""), ("difficulty", "hard")]

  private func row(
    _ number: Int, _ minutes: String, _ seconds: String, _ target: String = "free",
    _ value: String = "", _ text: String = ""
  ) -> Fields {
    [
      ("minutes_\(number)", minutes), ("seconds_\(number)", seconds),
      ("target_\(number)", target), ("value_\(number)", value), ("text_\(number)", text),
    ]
  }

  private func judged(
    _ fields: Fields
  ) -> (details: TrainingDetails?, errors: [String: FieldError]) {
    var errors: [String: FieldError] = [:]
    let details = TrainingForm(Form(fields: fields)).details(&errors)
    return (details, errors)
  }

  @Test("A typed form becomes a training, and the same form again")
  func whole() throws {
    let fields =
      base + row(1, "5", "", "free", "", "Warm up") + row(2, "", "30", "power", "250")
      + row(3, "1", "30", "resistance", "40") + row(4, "2", "5", "cadence", "90")
    let details = try #require(judged(fields).details)
    #expect(details.stages.map(\.seconds) == [300, 30, 90, 125])
    #expect(
      details.stages.map(\.target) == [.free, .power(250), .resistance(40), .cadence(90)])
    #expect(details.seconds == 545 && details.minutes == 9)
    var errors: [String: FieldError] = [:]
    #expect(TrainingForm(details).details(&errors) == details)
  }

  @Test("Rows that were left empty are no stages")
  func emptyRows() throws {
    let details = try #require(judged(base + row(1, "", "") + row(2, "1", "0")).details)
    #expect(details.stages.count == 1)
    #expect(judged(base).details?.stages == [])
  }

  @Test("A name and a difficulty are needed, and words have an end")
  func words() {
    #expect(judged([("name", " "), ("difficulty", "easy")]).errors["name"] != nil)
    #expect(judged([("name", "A"), ("difficulty", "brutal")]).errors["difficulty"] != nil)
    let long = String(repeating: "長", count: 61)
    #expect(judged([("name", long), ("difficulty", "easy")]).errors["name"] != nil)
    #expect(
      judged([("name", String(long.dropLast())), ("difficulty", "easy")]).details != nil)
  }

  @Test(
    "A time that is invalid, too short or too long is an error at its stage",
    arguments: [
      ("", "4"), ("0", ""), ("x", "10"), ("-1", "70"), ("121", "0"), ("120", "1"), ("1.5", ""),
      ("99999", ""), ("1", "2 3"),
    ])
  func times(minutes: String, seconds: String) {
    let (details, errors) = judged(
      base + row(1, "1", "0") + row(2, minutes, seconds, "power", "90"))
    #expect(details == nil && errors["minutes_2"] != nil && errors["minutes_1"] == nil)
  }

  @Test("Times up to the limits are taken, in digits of full width too")
  func goodTimes() throws {
    let fields = base + row(1, "120", "0") + row(2, "", "5") + row(3, "１０", "０5")
    #expect(try #require(judged(fields).details).stages.map(\.seconds) == [7200, 5, 605])
  }

  @Test(
    "A number out of a target's range is an error",
    arguments: [
      ("resistance", "0"), ("resistance", "101"), ("power", ""), ("power", "2001"),
      ("cadence", "9"), ("cadence", "fast"),
    ])
  func values(target: String, value: String) {
    let (details, errors) = judged(base + row(1, "1", "", target, value))
    #expect(details == nil && errors["value_1"] != nil)
  }

  @Test("No more than 60 stages, and four hours in all")
  func many() {
    let sixty = (1...60).flatMap { row($0, "1", "") }
    #expect(judged(base + sixty).details != nil)
    #expect(judged(base + sixty + row(61, "1", "")).errors["stages"] != nil)
    let long = (1...3).flatMap { row($0, "90", "") }
    #expect(judged(base + long).errors["stages"] != nil)
  }

  @Test("Buttons move, copy, remove and add rows, and set the position to return to")
  func changes() throws {
    var form = TrainingForm(Form(fields: base + row(1, "1", "") + row(2, "2", "")))
    func press(_ button: String) throws -> Int? {
      form.apply(try #require(TrainingForm.Change(button)))
    }
    #expect(try press("add") == 3)
    #expect(try press("up-2") == 1)
    #expect(form.rows.map(\.minutes) == ["2", "1", ""])
    #expect(try press("down-1") == 2)
    #expect(try press("copy-2") == 3)
    #expect(form.rows.map(\.minutes) == ["1", "2", "2", ""])
    #expect(try press("remove-1") == 1)
    #expect(try press("up-1") == 1 && press("down-3") == 3)
    #expect(form.rows.map(\.minutes) == ["2", "2", ""])
    #expect(try press("remove-9") == nil && press("up-9") == nil)
    for nonsense in ["", "up", "up-0", "up--1", "fly-1", "up-99999999999999999999"] {
      #expect(TrainingForm.Change(nonsense) == nil, "\(nonsense)")
    }
  }

  @Test("A full form takes no more rows")
  func full() {
    var form = TrainingForm(Form(fields: (1...60).flatMap { row($0, "1", "") }))
    _ = form.apply(.add)
    _ = form.apply(.copy(3))
    #expect(form.rows.count == 60)
  }
}
