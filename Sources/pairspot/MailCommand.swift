import App
import ArgumentParser
import Foundation
import Mail

/// `pairspot mail`
struct MailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail", abstract: "About mail that leaves and mail that comes back.",
    subcommands: [Test.self, Bounce.self])

  /// `pairspot mail test`
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sends one mail now, by the configured sender, and says how it went.")

    @Argument(help: "Who gets it.")
    var address: String

    func run() throws {
      let space = try MailCommands(Instance(Terminal.configuration()))
      do {
        let recipient = try space.sendTrial(to: address)
        Terminal.printLine("a mail to \(recipient) left by \(space.way)")
      } catch is MailAddressError {
        throw ValidationError("“\(address)” is no address that mail can be sent to")
      } catch let failure as MailSendError {
        Terminal.printError("by \(space.way): \(failure)".replacing("\n", with: " "))
        throw ExitCode.failure
      }
    }
  }

  /// `pairspot mail bounce`
  struct Bounce: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a message that came back, from a mail server's pipe.",
      discussion: """
        Reads one message on standard input and notes the mail as bounced when a server says that \
        it failed for good. Ends with 0 when it was noted or is of no concern, with 65 when it is \
        no message, with 75 when it should be handed over again later.
        """)

    /// Exit codes that mail servers know from sysexits.h.
    private static let noMessage = ExitCode(65)
    private static let tryAgain = ExitCode(75)

    @Argument(help: "The address that it came to; else its header says so.")
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
