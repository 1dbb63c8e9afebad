import WebPush

extension ConfigurationReader {
  /// Push services besides those of the known browsers: hosts, and in trials whole origins.
  mutating func pushServices(_ name: String, isTrial: Bool) -> PushServices {
    let others = text(name, "").split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    if let services = PushServices(others: others, isTrial: isTrial) { return services }
    note("\(name): must be host names, like push.example.org,*.example.net")
    return PushServices()
  }

  /// The contact address of the operator; by default the instance's own, or the sender's.
  mutating func vapidSubject(_ name: String, baseURL: String, sender: String?) -> String {
    let fallback = baseURL.hasPrefix("https://") ? baseURL : "mailto:\(sender ?? "")"
    let value = text(name, fallback)
    if !value.hasPrefix("mailto:"), !value.hasPrefix("https://") {
      note("\(name): must start with mailto: or https://")
    }
    return value
  }
}
