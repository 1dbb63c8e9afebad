import Web

/// A browser's readable name, guessed from its User-Agent. Most browsers also claim to be Chrome
/// and Safari, so the rarer names are checked first.
struct BrowserName: Equatable {
  let family: String?
  let system: String?

  private static let families = [
    ("MicroMessenger/", "WeChat"), ("Line/", "LINE"), ("Edg/", "Edge"), ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
  ]

  private static let systems = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
    ("Windows", "Windows"), ("Macintosh", "Mac"), ("Linux", "Linux"),
  ]

  init(_ userAgent: String) {
    family = Self.families.first { userAgent.contains($0.0) }?.1
    system = Self.systems.first { userAgent.contains($0.0) }?.1
  }

  /// The name, such as "Firefox on Android".
  func description(_ context: Context) -> String {
    switch (family, system) {
    case (let family?, let system?):
      context.text("settings_sessions.browser", ["family": family, "system": system])
    case (let known?, nil), (nil, let known?): known
    case (nil, nil): context.text("settings_sessions.unknown")
    }
  }
}
