import Core
import Database
import Foundation
import Secrets

/// The device on which a person's workouts are recorded (docs/developer/product.md#device-binding).
struct BoundDevice: Equatable {
  let device: ID<Device>
  let name: String
  let since: Instant
}

/// One bound device a person, and the devices on which they were in before.
struct DeviceStore {
  static let nameMost = FieldLimits(characters: 60)
  /// How long a device stays known after the last sign-in on it, in s.
  static let knownFor: Int64 = .days(365)

  let database: Database
  let keys: KeyRing

  // MARK: Binding

  func bound(_ person: ID<Person>, in reader: ReadTransaction) throws -> BoundDevice? {
    try reader.first(
      "SELECT device_id, name, bound_at FROM device_bindings WHERE user_id = ?", person
    ) { BoundDevice(device: try $0.id(0), name: $0.text(1), since: $0.instant(2)) }
  }

  /// Binds a device where none is bound; false when it is another one. `name` replaces the name
  /// of before unless it is nil; `unbinding` ends this binding and none after it.
  func bind(
    _ device: ID<Device>, name: String?, of person: ID<Person>, unbinding: Token? = nil,
    now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO device_bindings (user_id, device_id, name, bound_at, unbind_hash)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (user_id) DO UPDATE SET name = coalesce(?, name)
        WHERE device_id = excluded.device_id
      """, person, device, name ?? "", now, unbinding?.sha256, name) == 1
  }

  /// Ends the binding that this token was given for; one that isn't there any more changes
  /// nothing, whichever device is bound since.
  func unbind(_ device: ID<Device>, _ token: Token, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM device_bindings WHERE unbind_hash = ? AND device_id = ?", token.sha256, device)
  }

  /// Releases this device; one that isn't bound any more changes nothing.
  func release(_ device: ID<Device>, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM device_bindings WHERE user_id = ? AND device_id = ?", person, device)
  }

  /// What an export says of it: nothing where none is bound.
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let bound = try reader.first(
      "SELECT device_id, name, bound_at FROM device_bindings WHERE user_id = ?", person
    ) {
      [
        "deviceID": try $0.id(0, Device.self).description, "name": $0.text(1),
        "boundSince": $0.instant(2).rfc3339,
      ]
    }
    guard let bound else { return [] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return [ExportedFile(name: "device.json", json: Array(try encoder.encode(bound)))]
  }

  // MARK: Known devices

  /// Marks a device as one on which somebody was in with this password.
  func remember(
    _ device: ID<Device>, of person: ID<Person>, passwordHash: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO known_devices (user_id, mark, seen_at) VALUES (?, ?, ?)
      ON CONFLICT (user_id, mark) DO UPDATE SET seen_at = excluded.seen_at
      """, person, mark(device, person, passwordHash), now)
  }

  /// Whether somebody was in on this device before, with the password that still holds.
  func knows(
    _ device: ID<Device>, of person: ID<Person>, passwordHash: String, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM known_devices WHERE user_id = ? AND mark = ?", person,
      mark(device, person, passwordHash))
  }

  func purge(now: Instant) throws {
    try database.write {
      try $0.execute(
        "DELETE FROM known_devices WHERE seen_at < ?", now.adding(seconds: -Self.knownFor))
    }
  }

  private func mark(
    _ device: ID<Device>, _ person: ID<Person>, _ passwordHash: String
  ) -> [UInt8] {
    Digests.hmac(
      device.bytes + person.bytes + Array(passwordHash.utf8),
      key: keys.derivedKey(purpose: "known-devices"))
  }
}
