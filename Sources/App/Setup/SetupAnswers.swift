import Core
import Foundation

/// The answers to the questions of `pairspot setup`, as a file of settings.
public struct SetupAnswers {
  /// An answer that is missing or can't be used.
  public struct Problem: Error, CustomStringConvertible {
    public let description: String
  }

  /// Asks a person: the question, the answer that an empty line stands for, and what was wrong with
  /// the previous answer. Returns nil without a terminal.
  public typealias Ask = (_ question: SetupQuestion, _ offered: String?, _ wrong: String?) ->
    String?

  public private(set) var settings: SettingsFile
  private let environment: [String: String]
  private let defaults: [String: String]

  /// `settings` holds the answers of an earlier setup; `environment` wins over them, `defaults` are
  /// those of the installation.
  public init(
    settings: SettingsFile, environment: [String: String], defaults: [String: String]
  ) {
    self.settings = settings
    self.environment = environment
    self.defaults = defaults
  }

  /// Takes given values and asks for the others. Throws `Problem`, in one line, for an answer that
  /// is missing or can't be used.
  public mutating func fill(given: [String: String], ask: Ask) throws {
    for (name, value) in given {
      // A second line would be another setting.
      guard !"\(name)\(value)".contains(where: \.isNewline) else {
        throw Problem(description: "\(name): must be one line")
      }
      settings[name] = value
    }
    for question in SetupQuestion.all where question.isAsked(settings) {
      let name = question.setting
      if settings[name] == nil { settings[name] = question.fallback.map(question.value) }
      var wrong: String?
      while given[name] == nil,
        let answer = ask(question, settings[name].map(question.answer), wrong)
      {
        if !answer.isEmpty { settings[name] = question.value(of: answer) }
        wrong = self.wrong(question)
        if wrong == nil { break }
      }
      if let wrong = self.wrong(question) { throw Problem(description: wrong) }
    }
  }

  /// The problem of the answer to a question, nil if it has none.
  private func wrong(_ question: SetupQuestion) -> String? {
    let name = question.setting
    if settings[name] == nil { return question.isOptional ? nil : "\(name): missing" }
    return problems.first { $0.hasPrefix("\(name): ") }
  }

  private var problems: [String] {
    do {
      _ = try configuration()
      return []
    } catch let invalid as Configuration.Invalid {
      return invalid.problems
    } catch {
      return ["\(error)"]
    }
  }

  /// The configuration that the answers give. Throws `Configuration.Invalid`.
  public func configuration() throws -> Configuration {
    var values = environment
    values["PAIRSPOT_CONFIG"] = ""
    for name in settings.names where values[name] == nil { values[name] = settings[name] }
    return try Configuration(
      environment: values, defaults: defaults, now: Instant(milliseconds: 0), cores: 1)
  }
}
