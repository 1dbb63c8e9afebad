import App
import ArgumentParser
import Foundation
import Mail

/// `pairspot mail`
struct MailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail", abstract: "Tests sending mail, lists the queue and processes bounces.",
    subcommands: [Test.self, Queue.self, Bounce.self])

  /// `pairspot mail test`
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Sends a test mail with the configured sender and prints the result.")

    @Argument(help: "The recipient's address.")
    var address: String

    func run() throws {
      let space = try MailCommands(Instance(Terminal.configuration()))
      do {
        let recipient = try space.sendTrial(to: address)
        Terminal.printLine("sent a mail to \(recipient) by \(space.way)")
      } catch is MailAddressError {
        throw ValidationError("“\(address)” is not a valid email address")
      } catch let failure as MailSendError {
        Terminal.printError("by \(space.way): \(failure)".replacing("\n", with: " "))
        throw ExitCode.failure
      }
    }
  }

  /// `pairspot mail bounce`
  struct Bounce: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "bounce", abstract: "Processes a bounce message piped by a mail server.",
      discussion: """
        Reads one message from standard input and marks the mail as bounced if a server reports a \
        permanent failure. Exits with 0 if it was marked or ignored, with 65 if the input is not a \
        message, with 75 if delivery should be retried later.
        """)

    /// Exit codes that mail servers know from sysexits.h.
    private static let noMessage = ExitCode(65)
    private static let tryAgain = ExitCode(75)

    @Argument(help: "The address that the bounce was sent to; default: from its header.")
    var address: String?

    func run() throws {
      do {
        let bytes = try Self.input()
        let outcome = try MailCommands(Instance(Terminal.configuration())).take(
          bounce: bytes, for: address)
        Terminal.printError("\(outcome)")
      } catch let problem as BounceMessage.Problem {
        Terminal.printError("\(problem)")
        throw Self.noMessage
      } catch {
        // Errors here can be fixed, and the server keeps the message until then.
        Terminal.printError("\(error)".replacing("\n", with: "; "))
        throw Self.tryAgain
      }
    }

    /// The message, up to the limit and one byte more, by which one that is too long is recognised.
    private static func input() throws -> [UInt8] {
      var bytes: [UInt8] = []
      while bytes.count <= BounceMessage.maximumBytes,
        let more = try FileHandle.standardInput.read(upToCount: 65_536), !more.isEmpty
      {
        bytes += more
      }
      return bytes
    }
  }
}
