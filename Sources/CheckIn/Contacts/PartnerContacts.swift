import Accounts
import Core
import Database

/// Maintains contacts that are the accounts of partners: address, separation and deletion.
struct PartnerContacts {
  let services: CheckInEnvironment

  /// The user's contacts that are this partner, by account or by address.
  func contacts(
    of person: ID<Person>, partner: ID<Person>, in reader: ReadTransaction
  ) throws -> [Contact] {
    let address = try services.people.card(partner, in: reader)?.address
    return try services.contacts.all(of: person, in: reader).filter {
      $0.account == partner || (!$0.isSealed && $0.email == address)
    }
  }

  /// Sends alerts to the new address from now on.
  func addressChanged(
    _ account: ID<Person>, to address: String, now: Instant, in writer: WriteTransaction
  ) throws {
    for contact in try services.contacts.all(withAccount: account, in: writer) {
      // The new address may already have been typed as another contact.
      let isRemoved = try services.contacts.isRemoved(contact.id, in: writer)
      let others = isRemoved ? [] : try services.contacts.all(of: contact.person, in: writer)
      for other in others where other.id != contact.id && other.email == address {
        try services.contacts.remove(other.id, now: now, in: writer)
      }
      try services.contacts.setAddress(address, of: contact.id, in: writer)
      if try services.contacts.hasRefused(address, in: writer) {
        try services.contacts.setState(.refused, of: contact.id, in: writer)
        try MonitorService(services: services).reschedule(contact.person, now: now, in: writer)
      } else if let moved = try services.contacts.find(contact.id, in: writer) {
        try ContactService(services: services).introduceAgain(moved, now: now, in: writer)
      }
    }
  }

  func parted(
    _ person: ID<Person>, from partner: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction
  ) throws {
    for contact in try contacts(of: person, partner: partner, in: writer) {
      switch choice {
      case .remove:
        try ContactService(services: services).remove(contact, now: now, in: writer)
      case .keep, .undecided:
        try services.contacts.setAccount(
          partner, confirmationRequestedAt: choice == .undecided ? now : nil, of: contact.id,
          in: writer)
        guard contact.name.isEmpty,
          let name = try services.people.card(partner, in: writer)?.name
        else { continue }
        try services.contacts.rename(contact.id, to: name, in: writer)
      }
    }
  }

  func reunited(_ person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction) throws
  {
    for contact in try contacts(of: person, partner: partner, in: writer) {
      try ContactService(services: services).confirm(contact, in: writer)
    }
  }

  /// A deleted account receives no mail: its contact counts as unreachable until the account is
  /// restored.
  func left(_ account: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    for contact in try services.contacts.all(withAccount: account, in: writer) {
      try services.contacts.bounces(contact.id, in: writer)
      try MonitorService(services: services).reschedule(contact.person, now: now, in: writer)
    }
  }

  func returned(_ account: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    for contact in try services.contacts.all(withAccount: account, in: writer) {
      try ContactService(services: services).introduceAgain(contact, now: now, in: writer)
    }
  }

  func purge(_ account: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let people = try services.contacts.all(withAccount: account, in: writer).map(\.person)
    try services.contacts.forget(account: account, in: writer)
    for person in people {
      try MonitorService(services: services).reschedule(person, now: now, in: writer)
    }
  }
}
