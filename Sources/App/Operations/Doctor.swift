import Database

/// `pairspot doctor`: runs every check; an error that a check throws is its finding and doesn't
/// stop the others.
public struct Doctor: Sendable {
  private let database: Database
  private let checks: [DoctorCheck]

  init(_ instance: Instance) {
    self.init(instance.database, instance.doctorChecks)
  }

  init(_ database: Database, _ checks: [DoctorCheck]) {
    self.database = database
    self.checks = checks
  }

  /// Opens an instance and checks all of it; prints the findings, a line each. Returns whether all
  /// is well, if need be after repairs. Throws the errors that keep the application from opening.
  public static func look(
    at configuration: Configuration, options: Instance.Options = Instance.Options(), repair: Bool,
    say: (String) -> Void
  ) throws -> Bool {
    let secrets = SecretsDoctor(folder: configuration.secretsFolder)
    let areSecret = round(
      SecretsDoctor.name, find: secrets.find, mend: repair ? secrets.repair : nil, say: say)
    let files = PrivateFiles(configuration)
    let arePrivate = round(
      PrivateFiles.name, find: files.find, mend: repair ? { _ = try files.close() } : nil, say: say)
    // Developers run programs that they can change.
    let isOthers =
      configuration.isDevelopment
      || round(
        ProgramDoctor.name, find: ProgramDoctor(configuration).find, mend: nil, say: say)
    let doctor = Doctor(try Instance(configuration, options: options))
    return doctor.run(repair: repair, say: say) && areSecret && arePrivate && isOthers
  }

  /// Runs the checks of an open instance.
  func run(repair: Bool, say: (String) -> Void) -> Bool {
    var isWell = true
    for check in checks {
      let mend = repair ? check.repair : nil
      let isMended = Self.round(
        check.name, find: { try check.find(database) },
        mend: mend.map { mend in { try mend(database) } }, say: say)
      isWell = isWell && isMended
    }
    return isWell
  }

  /// Runs one check, and repairs its findings if `mend` is given.
  private static func round(
    _ name: String, find: () throws -> [String], mend: (() throws -> Void)?, say: (String) -> Void
  ) -> Bool {
    do {
      let found = try find()
      if found.isEmpty { return true }
      for line in found { say("\(name): \(line)") }
      guard let mend else { return false }
      try mend()
      let left = try find()
      for line in left { say("\(name): still, after mending: \(line)") }
      if left.isEmpty { say("\(name): mended") }
      return left.isEmpty
    } catch {
      say("\(name): could not be looked at: \(error)")
      return false
    }
  }
}
