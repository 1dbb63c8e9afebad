import Database

/// `pairspot doctor`: every check, one after the other; what one of them throws is its finding and
/// keeps no other from being made.
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

  /// Looks at a whole instance, which it opens; says what is wrong, a line each, and answers
  /// whether all is well, or is so now that it was mended. Throws what keeps the application from
  /// opening.
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
    // A developer runs what they write.
    let isOthers =
      configuration.isDevelopment
      || round(
        ProgramDoctor.name, find: ProgramDoctor(configuration).find, mend: nil, say: say)
    let doctor = Doctor(try Instance(configuration, options: options))
    return doctor.run(repair: repair, say: say) && areSecret && arePrivate && isOthers
  }

  /// Makes its checks alone, of a house that is open.
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

  /// Looks at one thing, and mends it where it may.
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
