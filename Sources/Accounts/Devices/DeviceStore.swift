import Core
import Database
import Foundation
import Secrets

/// The device on which a user's workouts are recorded (docs/developer/product.md#device-binding).
struct BoundDevice: Equatable {
  let device: ID<Device>
  let name: String
  let since: Instant
}

/// The bound device of each user, and the devices on which they signed in before.
struct DeviceStore {
  static let nameLimits = FieldLimits(characters: 60)
  /// How long a device stays trusted after the last sign-in on it, in s.
  static let knownFor: Int64 = .days(365)

  let database: Database
  let keys: KeyRing

  // MARK: Binding

  func bound(_ person: ID<Person>, in reader: ReadTransaction) throws -> BoundDevice? {
    try reader.first(
      "SELECT device_id, name, bound_at FROM device_bindings WHERE user_id = \(person)"
    ) { BoundDevice(device: try $0.next(), name: try $0.next(), since: try $0.next()) }
  }

  /// Binds a device if none is bound; returns false if another one is. `name` replaces the earlier
  /// name unless it is nil; `unbinding` is a token that ends this binding and no later one.
  func bind(
    _ device: ID<Device>, name: String?, of person: ID<Person>, unbinding: Token? = nil,
    now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      INSERT INTO device_bindings (user_id, device_id, name, bound_at, unbind_hash)
      VALUES (\(person), \(device), \(name ?? ""), \(now), \(unbinding?.sha256))
      ON CONFLICT (user_id) DO UPDATE
        SET name = coalesce(\(name), device_bindings.name)
        WHERE device_bindings.device_id = excluded.device_id
      """) == 1
  }

  /// Ends the binding that belongs to this token. Does nothing if it has ended, even if another
  /// device is bound now.
  func unbind(_ device: ID<Device>, _ token: Token, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM device_bindings WHERE unbind_hash = \(token.sha256) AND device_id = \(device)")
  }

  /// Releases this device; does nothing if it is no longer bound.
  func release(_ device: ID<Device>, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM device_bindings WHERE user_id = \(person) AND device_id = \(device)")
  }

  /// The export's file; empty if no device is bound.
  static func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let bound = try reader.first(
      "SELECT device_id, name, bound_at FROM device_bindings WHERE user_id = \(person)"
    ) {
      [
        "deviceID": try $0.next(ID<Device>.self).description, "name": try $0.next(String.self),
        "boundSince": try $0.next(Instant.self).rfc3339,
      ]
    }
    guard let bound else { return [] }
    return [try ExportedFile(name: "device.json", encoding: bound)]
  }

  // MARK: Trusted devices

  /// Marks a device as one on which the user signed in with this password.
  func remember(
    _ device: ID<Device>, of person: ID<Person>, passwordHash: String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO known_devices (user_id, mark, seen_at)
      VALUES (\(person), \(mark(device, person, passwordHash)), \(now))
      ON CONFLICT (user_id, mark) DO UPDATE SET seen_at = excluded.seen_at
      """)
  }

  /// Whether the user signed in on this device before, with the current password.
  func knows(
    _ device: ID<Device>, of person: ID<Person>, passwordHash: String, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM known_devices
      WHERE user_id = \(person) AND mark = \(mark(device, person, passwordHash))
      """)
  }

  func purge(now: Instant) throws {
    try database.write {
      try $0.execute(
        "DELETE FROM known_devices WHERE seen_at < \(now.adding(seconds: -Self.knownFor))")
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
