import Core

extension Context {
  /// The units of distances: the account's, else those of this browser's cookie, which groups set
  /// before there was a setting; metres by default.
  public var units: LengthUnits {
    viewer?.units ?? cookies["units"].flatMap(LengthUnits.init(rawValue:)) ?? .metres
  }
}
