import Web
import WebAuthn

extension Context {
  /// This site as the owner of passkeys. They belong to its domain, without a port.
  var relyingParty: RelyingParty {
    RelyingParty(
      id: site.host.split(separator: ":").first.map(String.init) ?? site.host,
      name: site.profile.name, origins: [site.baseURL])
  }
}
