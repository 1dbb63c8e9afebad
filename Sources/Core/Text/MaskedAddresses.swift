extension String {
  /// The text with e-mail addresses shortened to their first character and their domain:
  /// "a…@example.com". For output of commands, where the server of a domain is what matters.
  public var withMaskedAddresses: String {
    replacing(/([^\s@<>"'(),:;])[^\s@<>"'(),:;]*@/) { "\($0.output.1)…@" }
  }
}
