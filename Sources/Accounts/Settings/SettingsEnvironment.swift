import Core
import Database
import Mail
import Secrets
import Templates

/// Dependencies of the settings pages besides the module's own.
struct SettingsEnvironment: Sendable {
  let store: SettingsStore
  let emailChanges: EmailChangeStore
  let emailUndos: EmailUndoStore
  let sessions: SessionListStore
  let mails: EmailChangeMailer

  init(database: Database, keys: KeyRing, queue: MailQueue, templates: TemplateSet, baseURL: String)
    throws
  {
    store = SettingsStore(database: database, keys: keys)
    emailChanges = EmailChangeStore(keys: keys)
    emailUndos = EmailUndoStore(keys: keys)
    sessions = SessionListStore(database: database, keys: keys)
    mails = try EmailChangeMailer(templates: templates, queue: queue, baseURL: baseURL)
  }
}
