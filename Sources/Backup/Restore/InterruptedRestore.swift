/// What a restore leaves in the data folder that was stopped before it had decided: a copy of the
/// backup, keys and all, that counts for nothing. To be asked by who holds the folder's lock: nobody
/// is restoring then.
public enum InterruptedRestore {
  /// The folders, by their paths.
  public static func cleanup(in folder: String) -> [String] { DataReplacement.undecided(folder) }

  /// Removes them. Throws `BackupError`.
  public static func removeOrphans(in folder: String) throws {
    try DataReplacement.removeUndecided(folder)
  }
}
