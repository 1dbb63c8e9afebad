import Basics
import Mail
import Templates

/// What an operator does about mail from the command line.
public struct MailRoom {
  private let house: House

  public init(_ house: House) {
    self.house = house
  }

  /// Sends one mail at once, past the queue, in the instance's language. Throws
  /// `MailAddressProblem` and `MailFailure`.
  public func sendTrial(to address: String) throws -> MailAddress {
    let recipient = try MailAddress(address)
    let baseURL = house.configuration.baseURL
    let content = house.trialLetter.written(
      TrialLetter(baseURL: baseURL), in: house.configuration.language)
    try house.mailQueue.sendNow(content, to: recipient, now: house.site.clock.now())
    return recipient
  }

  /// How mail leaves, in words.
  public var way: String {
    switch house.configuration.mail {
    case .file: "a file in \(house.configuration.mailFolder)"
    case .smtp: "SMTP"
    case .resend: "Resend"
    }
  }

  /// Takes a message that came to a return address. Throws `BounceMessage.Problem` and what the
  /// database says.
  public func take(bounce: [UInt8], for address: String?) throws -> BounceDesk.Outcome {
    try BounceDesk(house.mailQueue, observers: house.mailObservers)
      .take(bounce, for: address, now: house.site.clock.now())
  }
}

/// What stands in a trial mail.
struct TrialLetter: View {
  let baseURL: String

  static let fields: [String: Field<TrialLetter>] = [
    "link": .text { "\($0.baseURL)/" },
    "base_url": .text { $0.baseURL },
  ]
}
