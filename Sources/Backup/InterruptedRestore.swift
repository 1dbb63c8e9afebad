/// What a restore leaves in the data folder that was stopped before it had decided: a copy of the
/// backup, keys and all, that counts for nothing. To be asked by who holds the folder's lock: nobody
/// is restoring then.
public enum InterruptedRestore {
  /// The folders, by their paths.
  public static func leftovers(in folder: String) -> [String] { DataSwap.undecided(folder) }

  /// Removes them. Throws `BackupProblem`.
  public static func removeLeftovers(in folder: String) throws {
    try DataSwap.removeUndecided(folder)
  }
}
