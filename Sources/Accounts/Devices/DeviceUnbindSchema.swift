import Database

/// Tokens that release a browser which was signed out while offline
/// (docs/developer/workouts.md#binding).
enum DeviceUnbindSchema {
  static let migrations = [
    Migration(
      "accounts, apps 2: bindings that end with a token of their own",
      """
      -- SHA-256 of the token that whoever bound it was given; NULL where an app's sign-in bound it.
      ALTER TABLE device_bindings ADD COLUMN unbind_hash BLOB;
      CREATE INDEX device_bindings_by_unbind ON device_bindings (unbind_hash);
      """)
  ]
}
