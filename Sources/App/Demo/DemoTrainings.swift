import Core
import Foundation
import Trainings

/// The trainings of the demonstration data: drawn covers, and a short video for one.
struct DemoTrainings {
  /// Seconds, target and text.
  private typealias Stage = (Int, TrainingTarget, String)

  let instance: Instance

  func fill(now: Instant) throws {
    try publish(
      "Morning spin", "A quiet half hour to wake up the legs. 早晨的半小時。", .easy, .dawn, now,
      [
        (300, .free, "Warm up, loose shoulders"), (480, .power(110), "Steady"),
        (120, .cadence(95), "Quick feet"), (480, .power(120), "Steady, a little firmer"),
        (120, .cadence(100), "Quick feet"), (300, .free, "Let it run out"),
      ])
    try publish(
      "Four hills", "Up, over, breathe, again. Watts as on a good day; take off ten on others.",
      .moderate, .forest, now, Self.hills)
    try publish(
      "A minute along the lake", "The shortest of all, with a film. 有影片的一分鐘湖邊騎行。",
      .easy, .lake, now,
      [
        (20, .free, "Sit up, roll easy"), (20, .cadence(80), "A little quicker"),
        (20, .free, "Let it run out"),
      ], video: "along-the-lake")
    try publish(
      "River intervals", "For rowers: ten hard minutes in pieces of one. 划船間歇。", .hard, .lake,
      now, Self.river)
  }

  private static let hills: [Stage] =
    [(480, .power(100), "Warm up")]
    + (1...4).flatMap { hill -> [Stage] in
      [
        (180, .power(170 + 10 * hill), "Hill \(hill)"), (30, .resistance(60), "Over the top"),
        (120, .free, "Breathe"),
      ]
    } + [(300, .free, "Roll home")]

  private static let river: [Stage] =
    [(420, .cadence(20), "Long strokes")]
    + (1...10).flatMap { _ -> [Stage] in
      [(60, .cadence(28), "Push"), (60, .cadence(18), "Let it glide")]
    } + [(300, .free, "Paddle")]

  private func publish(
    _ name: String, _ description: String, _ difficulty: Training.Difficulty, _ scene: DemoImage,
    _ now: Instant, _ stages: [Stage], video: String? = nil
  ) throws {
    let cover = try scene.draw(into: instance.configuration.uploadFolder)
    defer { try? FileManager.default.removeItem(atPath: cover) }
    let details = TrainingDetails(
      name: name, description: description, difficulty: difficulty,
      stages: stages.map { TrainingStage(seconds: $0.0, target: $0.1, text: $0.2) })
    try instance.features.trainings.seeder.publish(
      details, cover: cover, video: video.map(self.video), now: now)
  }

  /// Copies of the files in `deploy/demo`, which the training takes over.
  private func video(_ name: String) throws -> SeedVideo {
    let copies = try ["mp4", "vtt"].map { ending in
      let copy = "\(instance.configuration.uploadFolder)/upload-\(ID<SeedVideo>.random())"
      try FileManager.default.copyItem(
        atPath: "\(instance.configuration.share)/deploy/demo/\(name).\(ending)", toPath: copy)
      return copy
    }
    return SeedVideo(video: copies[0], captions: copies[1], in: .english)
  }
}
