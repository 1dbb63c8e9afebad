import Basics
import WorkoutFiles

/// Reads one session of the API (api.md, "Workouts"). It never throws: what is of a wrong type is
/// named, so that a broken workout fails alone; fields that are not known are passed over.
extension WorkoutDraft: Decodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) {
      stringValue = text
    }

    init?(stringValue: String) {
      self.init(stringValue)
    }

    init?(intValue: Int) { nil }
  }

  private typealias Values = KeyedDecodingContainer<Key>

  public init(from decoder: any Decoder) throws {
    self.init()
    guard let session = try? decoder.container(keyedBy: Key.self) else {
      mistyped.insert(.session)
      return
    }
    clientSessionID = text(.clientSessionID, session).flatMap {
      parsed(ID<ClientSession>($0), .clientSessionID)
    }
    startedAt = text(.startedAt, session).flatMap { parsed(Instant(rfc3339: $0), .startedAt) }
    endedAt = text(.endedAt, session).flatMap { parsed(Instant(rfc3339: $0), .endedAt) }
    duration = value(.duration, session)
    paused = value(.paused, session)
    energy = value(.energy, session)
    distance = value(.distance, session)
    machine = text(.machine, session).flatMap { parsed(Machine(rawValue: $0), .machine) }
    training = text(.training, session).flatMap { parsed(ID<Training>($0), .training) }
    raw = text(.raw, session)
    if let detail = object(.detail, session) { readDetail(detail) }
  }

  private mutating func readDetail(_ detail: Values) {
    figures.averageHeartRate = value(.averageHeartRate, detail)
    figures.maximumHeartRate = value(.maximumHeartRate, detail)
    figures.averagePower = value(.averagePower, detail)
    figures.maximumPower = value(.maximumPower, detail)
    figures.averageCadence = value(.averageCadence, detail)
    figures.maximumCadence = value(.maximumCadence, detail)
    figures.averageSpeed = value(.averageSpeed, detail)
    figures.maximumSpeed = value(.maximumSpeed, detail)
    guard let all = object(.samples, detail) else { return }
    interval = value(.interval, all)
    samples[.power] = value(.power, all)
    samples[.heartRate] = value(.heartRate, all)
    samples[.cadence] = value(.cadence, all)
    samples[.speed] = value(.speed, all)
    samples[.distance] = value(.distances, all)
  }

  // MARK: Values

  /// The last part of a field's name is its key.
  private static func key(_ field: Field) -> Key {
    Key(field.rawValue.split(separator: ".").last.map(String.init) ?? field.rawValue)
  }

  /// A value; nil where there is none, and where it is of another type.
  private mutating func value<Kind: Decodable>(_ field: Field, _ values: Values) -> Kind? {
    let key = Self.key(field)
    guard values.contains(key), (try? values.decodeNil(forKey: key)) != true else { return nil }
    return parsed(try? values.decode(Kind.self, forKey: key), field)
  }

  private mutating func text(_ field: Field, _ values: Values) -> String? {
    value(field, values)
  }

  private mutating func object(_ field: Field, _ values: Values) -> Values? {
    let key = Self.key(field)
    guard values.contains(key), (try? values.decodeNil(forKey: key)) != true else { return nil }
    return parsed(try? values.nestedContainer(keyedBy: Key.self, forKey: key), field)
  }

  /// Notes a field whose value could not be read.
  private mutating func parsed<Kind>(_ value: Kind?, _ field: Field) -> Kind? {
    if value == nil { mistyped.insert(field) }
    return value
  }
}
