import Testing

@testable import Trainings

@Suite("The drawing of a training's stages")
struct TrainingProfileTests {
  private func stage(_ seconds: Int, _ target: TrainingTarget) -> TrainingStage {
    TrainingStage(seconds: seconds, target: target, text: "")
  }

  @Test("Without stages there is nothing to draw")
  func nothing() {
    #expect(TrainingProfile([]).path(.power) == "")
  }

  @Test("A stage is as wide as it is long, and the hardest of its kind is as high as the drawing")
  func proportions() {
    let profile = TrainingProfile([stage(60, .power(100)), stage(180, .power(200))])
    #expect(profile.path(.power) == "M0 26H148V64H0zM150 0H598V64H150z")
    #expect(profile.path(.free) == "")
  }

  @Test("Each kind has its own path and its own scale")
  func kinds() {
    let profile = TrainingProfile([
      stage(60, .free), stage(60, .resistance(10)), stage(60, .cadence(90)),
    ])
    #expect(profile.path(.free) == "M0 52H198V64H0z")
    #expect(profile.path(.resistance) == "M200 0H398V64H200z")
    #expect(profile.path(.cadence) == "M400 0H598V64H400z")
  }

  @Test("A short stage between long ones can still be seen")
  func short() {
    let profile = TrainingProfile([stage(7200, .free), stage(5, .power(300)), stage(7195, .free)])
    #expect(profile.path(.power) == "M300 0H301V64H300z")
  }
}
