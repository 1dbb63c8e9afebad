/// The remains in the data folder of restores that were interrupted before their decision: unused
/// copies of the backup, including keys. The caller must hold the folder's lock, so that no restore
/// is running.
public enum InterruptedRestore {
  /// The paths of the folders.
  public static func cleanup(in folder: String) -> [String] { DataReplacement.undecided(folder) }

  /// Deletes them. Throws `BackupError`.
  public static func removeOrphans(in folder: String) throws {
    try DataReplacement.removeUndecided(folder)
  }
}
