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
  public static func examine(
    at configuration: Configuration, options: Instance.Options = Instance.Options(), repair: Bool,
    printLine: (String) -> Void
  ) throws -> Bool {
    let isPrivate = examineAccess(configuration, repair: repair, printLine: printLine)
    // Developers run programs that they can change.
    let isOthers =
      configuration.isDevelopment
      || round(
        ProgramDoctor.name, find: ProgramDoctor(configuration).find, fix: nil, printLine: printLine)
    let instance = try Instance(configuration, options: options)
    let notes =
      ProgramDoctor.films(instance.features.films) + (try ServerCheck.notes(instance.database))
    for note in notes { printLine("note: \(note)") }
    let doctor = Doctor(instance)
    return doctor.run(repair: repair, printLine: printLine) && isPrivate && isOthers
  }

  /// Checks a copy of the data: without the checks of the program, of the bucket, which has gone on
  /// since, and of the disk, which holds the copy for a moment only. Returns whether all is well; throws like `examine`.
  static func examineCopy(
    at configuration: Configuration, options: Instance.Options, printLine: (String) -> Void
  ) throws -> Bool {
    let isPrivate = examineAccess(configuration, repair: false, printLine: printLine)
    let instance = try Instance(configuration, options: options)
    let others = [DataDoctor.diskCheck, BucketDoctor.accessCheck, BucketDoctor.filesCheck]
    let checks = instance.doctorChecks.filter { !others.contains($0.name) }
    return Doctor(instance.database, checks).run(repair: false, printLine: printLine) && isPrivate
  }

  /// Checks that only their owner can access the data and secrets.
  private static func examineAccess(
    _ configuration: Configuration, repair: Bool, printLine: (String) -> Void
  ) -> Bool {
    let secrets = SecretsDoctor(folder: configuration.secretsFolder)
    let areSecret = round(
      SecretsDoctor.name, find: secrets.find, fix: repair ? secrets.repair : nil,
      printLine: printLine)
    let files = PrivateFiles(configuration)
    let arePrivate = round(
      PrivateFiles.name, find: files.find, fix: repair ? { _ = try files.close() } : nil,
      printLine: printLine)
    return areSecret && arePrivate
  }

  /// Runs the checks of an open instance.
  func run(repair: Bool, printLine: (String) -> Void) -> Bool {
    var isHealthy = true
    for check in checks {
      let fix = repair ? check.repair : nil
      let isMended = Self.round(
        check.name, find: { try check.find(database) },
        fix: fix.map { fix in { try fix(database) } }, printLine: printLine)
      isHealthy = isHealthy && isMended
    }
    return isHealthy
  }

  /// Runs one check, and repairs its findings if `fix` is given.
  private static func round(
    _ name: String, find: () throws -> [String], fix: (() throws -> Void)?,
    printLine: (String) -> Void
  ) -> Bool {
    do {
      let found = try find()
      if found.isEmpty { return true }
      for line in found { printLine("\(name): \(line)") }
      guard let fix else { return false }
      try fix()
      let left = try find()
      for line in left { printLine("\(name): not repaired: \(line)") }
      if left.isEmpty { printLine("\(name): repaired") }
      return left.isEmpty
    } catch {
      printLine("\(name): check failed: \(error)")
      return false
    }
  }
}
