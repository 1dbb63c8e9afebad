import Core

/// Builds a recording from the content of a file: points in time, and figures of laps or of the
/// whole. Missing values are calculated from the others.
struct RecordingBuilder {
  /// The values measured at one moment.
  struct Point {
    var time: Instant
    var power: Double?
    var heartRate: Double?
    var cadence: Double?
    /// In km/h.
    var speed: Double?
    var distance: Double?

    func value(_ kind: RecordedSamples.Kind) -> Double? {
      switch kind {
      case .power: power
      case .heartRate: RecordingBuilder.heart(heartRate)
      case .cadence: cadence
      case .speed: speed
      case .distance: distance
      }
    }
  }

  /// A part of a workout, or the whole of it.
  struct Lap {
    var startedAt: Instant?
    /// Active time, in s.
    var duration: Double?
    /// From start to end, in s.
    var elapsed: Double?
    var energy: Double?
    var distance: Double?
    var figures = WorkoutFigures()
  }

  var machine = Machine.other
  var startedAt: Instant?
  var endedAt: Instant?
  /// The time in pauses, in s, if known.
  var paused: Double?
  var laps: [Lap] = []
  var points: [Point] = []

  /// The limits of all recordings of a file together.
  struct Budget {
    /// Seconds of samples, so that a small file can't allocate much memory.
    var seconds = 1_000_000
    var recordings = 200
  }

  /// Shorter pauses, in s, are differences between clocks and timers.
  static let minimumPause = 2.0

  /// The recording; nil if it is empty.
  func build(_ budget: inout Budget) throws(WorkoutFileError) -> WorkoutRecording? {
    guard let start = startedAt ?? laps.compactMap(\.startedAt).min() ?? points.map(\.time).min()
    else { return nil }
    let samples = try samples(from: start, &budget)
    let lapEnds = laps.compactMap { lap in
      lap.elapsed.map { (lap.startedAt ?? start).adding(milliseconds: $0 * 1000) }
    }
    let moving = sum(\.duration)
    let last = (lapEnds + points.map(\.time) + [endedAt ?? start]).max() ?? start
    // Some files contain only the duration.
    let end = max(last, start.adding(milliseconds: (moving ?? 0) * 1000))
    let span = Double(end.milliseconds - start.milliseconds) / 1000
    guard span <= Double(RecordedSamples.maximumSeconds) * 7 else { throw .tooLong }
    let duration = min(moving ?? max(0, span - (paused ?? 0)), span)
    guard duration > 0 else { return nil }
    budget.recordings -= 1
    guard budget.recordings >= 0 else { throw .tooMuch }
    let rest = span - duration
    var recording = WorkoutRecording(
      startedAt: start, endedAt: end, duration: Self.rounded(duration),
      paused: rest > Self.minimumPause ? Self.rounded(rest) : nil,
      energy: sum(\.energy).map(Self.rounded), distance: nil, machine: machine, samples: samples)
    let measured = samples.figures(.distance).map { figures in
      let first = samples[.distance].lazy.compactMap { $0 }.first ?? 0
      return Self.rounded(figures.largest - first)
    }
    recording.distance = Self.reported(sum(\.distance).map(Self.rounded), measured)
    recording.figures = figures(samples, recording)
    return recording
  }

  // MARK: Samples

  private func samples(
    from start: Instant, _ budget: inout Budget
  ) throws(WorkoutFileError) -> RecordedSamples {
    var last = -1
    let places = points.map { point in
      // Watches write the first point shortly before the recorded start.
      max(0, Int(((Double(point.time.milliseconds - start.milliseconds)) / 1000).rounded(.down)))
    }
    for place in places { last = max(last, place) }
    guard last <= RecordedSamples.maximumSeconds else { throw .tooLong }
    let count = min(last + 1, RecordedSamples.maximumSeconds)
    budget.seconds -= count
    guard budget.seconds >= 0 else { throw .tooMuch }
    var values: [RecordedSamples.Kind: [Double?]] = [:]
    for kind in RecordedSamples.Kind.allCases
    where points.contains(where: { $0.value(kind) != nil }) {
      var series = [Double?](repeating: nil, count: count)
      for (point, place) in zip(points, places) where place < count {
        if let value = point.value(kind) { series[place] = value }
      }
      values[kind] = series
    }
    return RecordedSamples(values)
  }

  // MARK: Figures

  /// The sum over all laps; nil if none has the value.
  private func sum(_ value: KeyPath<Lap, Double?>) -> Double? {
    let known = laps.compactMap { $0[keyPath: value] }.filter { $0.isFinite }
    return known.isEmpty ? nil : known.reduce(0, +)
  }

  /// The figures of the laps if all laps have them; otherwise those of the samples.
  private func figures(
    _ samples: RecordedSamples, _ recording: WorkoutRecording
  ) -> WorkoutFigures {
    var figures = WorkoutFigures()
    let (heart, power) = (samples.figures(.heartRate), samples.figures(.power))
    let (cadence, speed) = (samples.figures(.cadence), samples.figures(.speed))
    figures.averageHeartRate = Self.reported(mean(\.averageHeartRate), heart?.mean)
    figures.maximumHeartRate = Self.reported(largest(\.maximumHeartRate), heart?.largest)
    figures.averagePower = Self.reported(mean(\.averagePower), power?.mean)
    figures.maximumPower = Self.reported(largest(\.maximumPower), power?.largest)
    figures.averageCadence = Self.reported(mean(\.averageCadence), cadence?.mean)
    figures.maximumCadence = Self.reported(largest(\.maximumCadence), cadence?.largest)
    figures.averageSpeed = Self.reported(mean(\.averageSpeed), speed?.mean)
    figures.maximumSpeed = Self.reported(largest(\.maximumSpeed), speed?.largest)
    if figures.averageSpeed == nil, let distance = recording.distance, distance > 0 {
      figures.averageSpeed = Self.rounded(distance / recording.duration * 3.6)
    }
    return figures
  }

  private func mean(_ value: KeyPath<WorkoutFigures, Double?>) -> Double? {
    if laps.count == 1 { return laps[0].figures[keyPath: value].map(Self.rounded) }
    var (sum, weight) = (0.0, 0.0)
    for lap in laps {
      guard let duration = lap.duration, duration > 0 else { continue }
      guard let known = lap.figures[keyPath: value] else { return nil }
      sum += known * duration
      weight += duration
    }
    return weight > 0 ? Self.rounded(sum / weight) : nil
  }

  private func largest(_ value: KeyPath<WorkoutFigures, Double?>) -> Double? {
    let known = laps.compactMap { $0.figures[keyPath: value] }
    return known.count == laps.count ? known.max().map(Self.rounded) : nil
  }

  /// The value in the file; 0, which programs write for an unknown value, is replaced by the
  /// measured one.
  private static func reported(_ reported: Double?, _ measured: Double?) -> Double? {
    reported == 0 ? measured ?? 0 : reported ?? measured
  }

  /// A heart rate; programs write 0 for none, or 1 where the schema requires a positive number.
  static func heart(_ rate: Double?) -> Double? {
    rate.flatMap { $0 <= 1 ? nil : $0 }
  }

  private static func rounded(_ value: Double) -> Double {
    RecordedSamples.rounded(value) ?? 0
  }
}

extension Instant {
  /// The moment this many milliseconds later; unchanged for an invalid number.
  func adding(milliseconds: Double) -> Instant {
    guard milliseconds.isFinite, abs(milliseconds) < 1e15 else { return self }
    return Instant(milliseconds: self.milliseconds + Int64(milliseconds.rounded()))
  }
}
